#include "src/precision/later_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(LaterOptions, AreRefusedByName) {
  std::set<std::string_view> names;
  for (const LaterOption& option : LaterOptions()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    try {
      RefuseLater(option.name);
      ADD_FAILURE() << "expected an error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(error.what(),
                  StartsWith("--" + std::string(option.name) + " is not supported yet; "));
    }
  }
}

TEST(LaterOptions, QuoteAValue) {
  try {
    RefuseLater("--soc_version", "Ascend310P3");
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--soc_version=Ascend310P3 is not supported yet; "));
    EXPECT_THAT(error.what(), HasSubstr("use --soc_version=host"));
  }
}

TEST(LaterOptions, OthersAreNotInTheTable) {
  EXPECT_EQ(FindLaterOption("--precision_mode"), nullptr);
  EXPECT_EQ(FindLaterOption("--"), nullptr);
  EXPECT_THROW(RefuseLater("precision_mode"), Error);
}

}  // namespace
}  // namespace halftone
