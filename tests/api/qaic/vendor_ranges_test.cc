// Profiles that the vendor's compiler dumped, with ranges that halftone puts into them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "src/base/file.h"
#include "tests/api/qaic/statements.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::PlanOf;
using testing::Statements;

// A profile that the vendor's compiler dumped keeps its hash and what we do not know of it.
TEST(VendorRangesTest, AVendorsProfileIsRewritten) {
  const Statements statements;
  const std::string words =
      "-m=@/model.onnx -onnx-define-symbol=batch,1 -input-list-file=@/list.txt ";
  const std::string said =
      statements.Run(words + "-load-profile=@/vendor.yaml -enable-channelwise -point=@/point");
  ASSERT_THAT(said, HasSubstr("point written to "));
  const std::string profile = ReadFile(statements.Placed("@/point/profile.yaml"));
  EXPECT_THAT(profile, HasSubstr("00000000deadbeef"));
  EXPECT_THAT(profile, HasSubstr("Vendor"));
  EXPECT_EQ(PlanOf(statements.RunScript("@/point")), PlanOf(said));
}

// The ranges that a search chose, in the file whose hash the vendor's compiler takes.
TEST(VendorRangesTest, RangesOfAPointGoIntoAVendorsProfile) {
  const Statements statements;
  const std::string words =
      "-m=@/model.onnx -onnx-define-symbol=batch,1 -input-list-file=@/list.txt "
      "-quantization-schema-activations=asymmetric -enable-channelwise ";
  const std::string chosen = statements.Run(words + "-convert-to-quantize -point=@/chosen");
  const std::string filled = statements.Run(
      words + "-load-profile=@/vendor.yaml -ranges-from=@/chosen/profile.yaml -point=@/filled");
  EXPECT_EQ(PlanOf(filled), PlanOf(chosen)) << filled;
  EXPECT_EQ(PlanOf(statements.RunScript("@/filled")), PlanOf(chosen));
  const std::string profile = ReadFile(statements.Placed("@/filled/profile.yaml"));
  EXPECT_THAT(profile, HasSubstr("00000000deadbeef"));
  EXPECT_THAT(profile, HasSubstr("Vendor"));
  EXPECT_THAT(profile, HasSubstr("GlowToolsVersion: 2020-01-01"));
  EXPECT_THAT(profile, Not(HasSubstr("Halftone"))) << "it stays a file of the vendor";

  struct Row {
    const char* name;
    const char* words;
    const char* says;
  };

  const Row refusals[] = {
      {"both are of the vendor", "-load-profile=@/vendor.yaml -ranges-from=@/old.yaml",
       "error: -ranges-from=@/old.yaml: expected a profile of halftone"},
      {"both are ours", "-load-profile=@/chosen/profile.yaml -ranges-from=@/chosen/profile.yaml",
       "error: -load-profile=@/chosen/profile.yaml: expected a profile that the device's compiler "
       "dumped"},
      {"the vendor's file is missing", "-ranges-from=@/chosen/profile.yaml",
       "error: -ranges-from without -load-profile"},
  };
  for (const Row& row : refusals) {
    EXPECT_THAT(statements.Run(words + row.words), HasSubstr(statements.Placed(row.says)))
        << row.name;
  }
}

}  // namespace
}  // namespace halftone
