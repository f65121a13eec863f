// Texts and files of options, as programs give them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "halftone/halftone.h"
#include "src/base/temporary_folder.h"
#include "src/precision/files/option_table.h"
#include "src/precision/precision_options.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;

std::string ErrorOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(PublicOptionsTest, ModesByName) {
  EXPECT_EQ(ParseBiasCorrection("sequential"), BiasCorrection::kSequential);
  EXPECT_EQ(ParseOperatorTuning("off"), OperatorTuningMode::kOff);
  EXPECT_EQ(ErrorOf([] { ParseBiasCorrection("all", "bias_correction"); }),
            "bias_correction=all: expected one of none, local, sequential");
  EXPECT_EQ(ErrorOf([] { ParseOperatorTuning("all"); }),
            "--operator_tuning=all: expected one of off, profile, full");
}

TEST(PublicOptionsTest, EveryPrecisionOptionHasAnArgument) {
  std::size_t found = 0;
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    for (const PrecisionArgument& argument : kPrecisionArguments) {
      found += row.name == argument.name && row.argument == argument.text ? 1 : 0;
    }
  }
  EXPECT_EQ(found, AllPrecisionOptions().size());
  EXPECT_EQ(found, std::size(kPrecisionArguments));
}

TEST(PublicOptionsTest, OptionsAreReadAndRefused) {
  EXPECT_EQ(ReadPrecisionOptions({.precision_mode = "force_fp16"}).options->precision_mode,
            "force_fp16");
  EXPECT_EQ(ReadOptionSet("--precision_mode=force_fp16").options->precision_mode, "force_fp16");
  EXPECT_THAT(ErrorOf([] { ReadPrecisionOptions({.precision_mode = "fp8"}); }),
              ::testing::HasSubstr("fp8"));
  EXPECT_THAT(ErrorOf([] { ReadPrecisionOptions({}, {.soc_version = "Ascend0"}); }),
              ::testing::HasSubstr("Ascend0"));
  const TemporaryFolder folder("this test");
  folder.Write("keep.cfg", "conv2\nconv1\nconv2\n");
  EXPECT_THAT(ReadKeepDtype(folder.path() / "keep.cfg"), ElementsAre("conv1", "conv2"));
}

}  // namespace
}  // namespace halftone
