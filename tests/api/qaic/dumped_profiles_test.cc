// A profile that the vendor's compiler dumped, and a search that writes its ranges into copies of
// it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/temporary_folder.h"
#include "src/ir/ir_type.h"
#include "src/quantization/files/glow_names.h"
#include "src/quantization/files/glow_profile.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr float kMin = -123.5F;  // of every record; no tensor of the network has such a range
constexpr float kMax = 321.5F;

// A made-up file of the vendor: a hash, keys that Glow does not have, records in reverse order, one
// of which means nothing in the network.
std::string VendorProfile(const Graph& graph) {
  std::vector<std::string> names;
  for (const ValueId id : graph.inputs) {
    names.push_back(GlowIdentifier(graph.value(id).name));
  }
  for (const Node& node : graph.nodes) {
    names.push_back(GlowNodeName(node.name, OnnxKindOf(node), FirstOutputName(graph, node)));
  }
  std::string text =
      "---\nGlowToolsVersion: 2023-05-05\n...\n---\nGraphPreLowerHash: 0x0123456789abcdef\n...\n"
      "---\nVendorHeader: kept\n...\n---\n- NodeOutputName: lowered_by_the_vendor:0\n"
      "  Min: -7\n  Max: 7\n  Histogram: [ 1 ]\n";
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    text += fmt::format(
        "- NodeOutputName: {}:0\n  Min: {}\n  Max: {}\n  Histogram: [ 1, 2 ]\n  VendorKey: {}\n",
        *name, kMin, kMax, names.rend() - name);
  }
  return text + "...\n";
}

std::vector<std::string> NamesOf(const GlowProfile& profile) {
  std::vector<std::string> names;
  for (const GlowRecord& record : profile.records) {
    names.push_back(record.name);
  }
  return names;
}

class DumpedProfilesTest : public ::testing::Test {
 protected:
  DumpedProfilesTest()
      : digits_(testing::SourceDir() / "examples/digits"),
        folder_("profiles"),
        model_(
            LoadModel({.path = digits_ / "model.onnx", .inputs = digits_ / "search_inputs.npy"})) {
    folder_.Write("vendor.yaml", VendorProfile(model_.graph));
    options_.target.soc_version = "cloud_ai_100";
    options_.data.inputs = digits_ / "search_inputs.npy";
    options_.max_trials = 12;
    options_.output = folder_.path() / "out";
    options_.quantize.mode = QuantizeMode::kOn;
    options_.load_profile = folder_.path() / "vendor.yaml";
  }

  [[nodiscard]] std::string MessageOf(const TuneOptions& options) const {
    try {
      Tune(model_, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.what();
    }
    return "";
  }

  std::filesystem::path digits_;
  TemporaryFolder folder_;
  Model model_;
  TuneOptions options_;
};

TEST_F(DumpedProfilesTest, PointsAreCopiesWithOtherRanges) {
  const TuneSummary summary = Tune(model_, options_);
  EXPECT_THAT(summary.warnings, Contains(AllOf(HasSubstr("--load_profile="),
                                               HasSubstr("-ranges-from=profile.yaml"))));
  const GlowProfile vendor = ParseGlowProfile(ReadFile(options_.load_profile), "vendor.yaml");
  std::size_t quantized = 0;
  for (const FrontPoint& point : summary.front.points) {
    const auto file = options_.output / point.folder / "profile.yaml";
    if (!std::filesystem::exists(file)) {
      continue;
    }
    ++quantized;
    const std::string text = ReadFile(file);
    EXPECT_THAT(text, HasSubstr("GraphPreLowerHash: 0x0123456789abcdef")) << point.folder;
    EXPECT_THAT(text, HasSubstr("GlowToolsVersion: 2023-05-05"));
    EXPECT_THAT(text, HasSubstr("VendorHeader"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("Halftone")));
    const GlowProfile made = ParseGlowProfile(text, file.string());
    EXPECT_EQ(NamesOf(made), NamesOf(vendor)) << "all records, in their order";
    std::size_t changed = 0;
    for (std::size_t r = 0; r < made.records.size(); ++r) {
      EXPECT_EQ(made.records[r].others.size(), vendor.records[r].others.size()) << "unknown keys";
      changed += made.records[r].min != vendor.records[r].min ? 1 : 0;
    }
    EXPECT_GT(changed, 0U);
    EXPECT_EQ(made.records.at(0).min, -7) << "what means no tensor stays";
  }
  EXPECT_GT(quantized, 0U);
}

TEST_F(DumpedProfilesTest, TheSearchIsThatWithoutTheFile) {
  const TuneSummary with = Tune(model_, options_);
  options_.load_profile.clear();
  options_.output = folder_.path() / "without";
  const TuneSummary without = Tune(model_, options_);
  ASSERT_EQ(with.front.points.size(), without.front.points.size());
  for (std::size_t i = 0; i < with.front.points.size(); ++i) {
    EXPECT_EQ(with.front.points[i].trial.plan_digest, without.front.points[i].trial.plan_digest);
  }
}

TEST_F(DumpedProfilesTest, WhatDoesNotFitIsSaidBeforeTheSearch) {
  TuneOptions other = options_;
  other.target.soc_version = "Ascend310P3";
  EXPECT_THAT(MessageOf(other), HasSubstr("--load_profile is of the Cloud AI compiler, found with "
                                          "the target Ascend310P3"));
  TuneOptions nowhere = options_;
  nowhere.output.clear();
  EXPECT_THAT(MessageOf(nowhere), HasSubstr("no --output is given"));
  folder_.Write("ours.yaml",
                "---\nGraphPreLowerHash: 0x0\n...\n---\nHalftoneModelHash: none\n...\n---\n"
                "- NodeOutputName: q:0\n  Min: 0\n  Max: 1\n  Histogram: [ 1 ]\n...\n");
  TuneOptions ours = options_;
  ours.load_profile = folder_.path() / "ours.yaml";
  EXPECT_THAT(MessageOf(ours), HasSubstr("expected a profile that the device's compiler dumped"));
  folder_.Write("foreign.yaml",
                "---\nGraphPreLowerHash: 0x1\n...\n---\n- NodeOutputName: q:0\n"
                "  Min: 0\n  Max: 1\n  Histogram: [ 1 ]\n...\n");
  TuneOptions foreign = options_;
  foreign.load_profile = folder_.path() / "foreign.yaml";
  EXPECT_THAT(MessageOf(foreign), HasSubstr("no record means a tensor of the network"));
}

}  // namespace
}  // namespace halftone
