#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/api/halftone.h"
#include "src/base/file.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;

std::filesystem::path Written(const std::string& name, std::string_view text) {
  const std::filesystem::path path = ::testing::TempDir() + "halftone_load_scales_" + name;
  WriteFileAtomically(path, text);
  return path;
}

TEST(LoadScalesTest, ATableOfOnnxRuntimeGivesScales) {
  const auto path = Written("ort.json", R"({"relu1": [0.0, 2.55], "conv1": [-1.0, 1.55]})");
  const SharedQuantization scales = LoadScales(path);
  EXPECT_EQ(scales->activations.at("relu1"),
            (ActivationScale{.scale = static_cast<float>(0.01), .zero_point = 0}));
  EXPECT_EQ(scales->activations.at("conv1").zero_point, 100);
}

TEST(LoadScalesTest, AProfileOfGlowIsSentElsewhere) {
  const auto path = Written("profile.yaml",
                            "---\nGraphPreLowerHash: 0x1\n...\n---\n- NodeOutputName: a:0\n"
                            "  Min: -1.0\n  Max: 1.0\n  Histogram: [ 1, 2 ]\n...\n");
  try {
    LoadScales(path);
    FAIL() << "loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("a profile of Glow names nodes, not tensors"));
  }
}

}  // namespace
}  // namespace halftone
