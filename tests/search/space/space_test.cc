#include "search/space/space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/space/mode_format.h"
#include "search/space/space_point.h"
#include "search/trial/candidate.h"
#include "src/base/error.h"
#include "src/precision/resolve/modes.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/chain_network.h"

namespace halftone {
namespace {

using testing::ChainNetwork;
using testing::ChainTarget;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

std::vector<std::string> SetNames(const SearchSpace& space) {
  std::vector<std::string> names;
  for (const ImplModeSet& set : space.impl_mode_sets) {
    names.push_back(set.name);
  }
  return names;
}

// The modes that kModesBySpeed ranks come first; others follow (CoversEveryModeThatHasRules).
std::vector<std::string> FirstModes(const SearchSpace& space, std::size_t count) {
  return {space.modes.begin(),
          space.modes.begin() + static_cast<std::ptrdiff_t>(std::min(count, space.modes.size()))};
}

TEST(SearchSpaceTest, HasTheModesOfTheTargetFastestFirst) {
  TargetSpec target = ChainTarget();
  EXPECT_THAT(FirstModes(MakeSearchSpace(ChainNetwork(1), target), 7),
              ElementsAre("allow_mix_precision_bf16", "force_fp16", "allow_mix_precision",
                          "allow_fp32_to_bf16", "allow_fp32_to_fp16", "must_keep_origin_dtype",
                          "force_fp32"));
  target.has_bfloat16 = false;
  const SearchSpace space = MakeSearchSpace(ChainNetwork(1), target);
  EXPECT_THAT(FirstModes(space, 5),
              ElementsAre("force_fp16", "allow_mix_precision", "allow_fp32_to_fp16",
                          "must_keep_origin_dtype", "force_fp32"));
  const auto needs_bfloat16 = std::ranges::count_if(
      AllPrecisionModes(),
      [](const PrecisionMode& mode) { return mode.needs_bfloat16 && mode.narrow != nullptr; });
  EXPECT_EQ(space.notes.size(), static_cast<std::size_t>(needs_bfloat16));
  EXPECT_EQ(space.modes.size() + space.notes.size(),
            MakeSearchSpace(ChainNetwork(1), ChainTarget()).modes.size());
  EXPECT_THAT(
      space.notes,
      IsSupersetOf({"mode allow_mix_precision_bf16 is left out: target chain has no bfloat16",
                    "mode allow_fp32_to_bf16 is left out: target chain has no bfloat16"}));
}

TEST(SearchSpaceTest, CoversEveryModeThatHasRules) {
  const SearchSpace space = MakeSearchSpace(ChainNetwork(1), ChainTarget());
  for (const PrecisionMode& mode : AllPrecisionModes()) {
    EXPECT_EQ(std::count(space.modes.begin(), space.modes.end(), mode.name),
              !mode.name.empty() && mode.narrow != nullptr ? 1 : 0)
        << mode.label();
  }
}

TEST(SearchSpaceTest, PinnedModesMayBeAliases) {
  SpaceOptions options;
  options.modes = {"mixed_float16", "cube_fp16in_fp32out", "allow_mix_precision_fp16"};
  EXPECT_THAT(MakeSearchSpace(ChainNetwork(1), ChainTarget(), options).modes,
              ElementsAre("allow_mix_precision", "force_fp32"));
  options.modes = {"fastest"};
  EXPECT_THROW(MakeSearchSpace(ChainNetwork(1), ChainTarget(), options), Error);
  options.modes = {"mixed_hif8"};
  EXPECT_THROW(MakeSearchSpace(ChainNetwork(1), ChainTarget(), options), Error);
}

TEST(SearchSpaceTest, KeepableNodesComputeAndCanBeNamed) {
  Graph graph = ChainNetwork(3);
  graph.nodes[1].op = OpKind::kReshape;  // moves data
  graph.nodes[2].name = "#mm1";          // a comment in keep_dtype files
  graph.nodes[2].origins[0].name = "#mm1";
  SpaceOptions options;
  options.pinned_keep_dtype = {"mm2"};
  TargetSpec target = ChainTarget();
  target.ai_core["Reshape"] = target.ai_core["Relu"];
  const SearchSpace space = MakeSearchSpace(graph, target, options);
  EXPECT_THAT(space.keepable_nodes, ElementsAre("mm0", "act1", "act2"));
  EXPECT_THAT(space.notes, ElementsAre("node '#mm1' (MatMul) cannot be kept: keep_dtype files have "
                                       "no syntax for its name"));
  EXPECT_THAT(MakeCandidate(space, 0, {2, 0}, 0).options.keep_dtype,
              ElementsAre("act2", "mm0", "mm2"));
}

// Ascend310P3 has no float32 for matrix products: 729 of 755 candidates were rejected for that.
TEST(SearchSpaceTest, WhatTheTargetCannotRunIsNotProposed) {
  TargetSpec target = ChainTarget();
  LibraryOp& products = target.ai_core.at("MatMulV2");
  products.inputs.assign(2, {DType::kFloat16, DType::kBFloat16});
  products.outputs.assign(1, {DType::kFloat16, DType::kBFloat16});
  const Graph graph = ChainNetwork(3);
  const SearchSpace space = MakeSearchSpace(graph, target);
  EXPECT_THAT(space.modes, Not(Contains("must_keep_origin_dtype")));
  EXPECT_THAT(space.modes, IsSupersetOf({"force_fp16", "allow_mix_precision"}));
  EXPECT_THAT(space.keepable_nodes, ElementsAre("act0", "act1", "act2"));
  EXPECT_THAT(space.notes,
              IsSupersetOf({HasSubstr("mode must_keep_origin_dtype is left out: EZ3002"),
                            HasSubstr("3 operators cannot be kept in float32, which target chain "
                                      "does not run them in: mm0, ...")}));
  for (std::size_t mode = 0; mode < space.modes.size(); ++mode) {
    EXPECT_NO_THROW(ResolvePrecision(graph, CandidateAt(space, {mode, 0, {}}).options, target));
  }
}

// The search then says why: nothing is left out where nothing would be left.
TEST(SearchSpaceTest, ModesThatAllFailStay) {
  TargetSpec target = ChainTarget();
  target.ai_core.erase("Relu");
  const SearchSpace space = MakeSearchSpace(ChainNetwork(1), target);
  EXPECT_EQ(space.modes, MakeSearchSpace(ChainNetwork(1), ChainTarget()).modes);
  EXPECT_EQ(space.size(), space.modes.size()) << "no keep set or implementation helps";
}

TEST(SearchSpaceTest, ImplModeSetsFollowTheLibrary) {
  TargetSpec target = ChainTarget();
  EXPECT_THAT(SetNames(MakeSearchSpace(ChainNetwork(3), target)),
              ElementsAre("default", "high_precision", "high_performance",
                          "high_performance for MatMulV2", "high_performance for SoftmaxV2"));
  EXPECT_THAT(SetNames(MakeSearchSpace(ChainNetwork(1), target)),  // no Softmax in this one
              ElementsAre("default", "high_precision", "high_performance"));
  target.ai_core["MatMulV2"].impl_modes.clear();
  target.ai_core["SoftmaxV2"].impl_modes = {{DType::kFloat32, {ImplMode::kHighPrecision}}};
  EXPECT_THAT(SetNames(MakeSearchSpace(ChainNetwork(3), target)), ElementsAre("default"));
}

// What a set does not name would have the default mode, which may be fast.
TEST(SearchSpaceTest, ASetOfOneTypeNamesTheOthersAsExact) {
  const SearchSpace space = MakeSearchSpace(ChainNetwork(3), ChainTarget());
  ASSERT_EQ(space.impl_mode_sets.size(), 5U);
  EXPECT_THAT(space.impl_mode_sets[4].by_type,
              ElementsAre(std::pair("MatMulV2", ImplMode::kHighPrecision),
                          std::pair("SoftmaxV2", ImplMode::kHighPerformance)));
}

TEST(SearchSpaceTest, SizeSaturates) {
  SearchSpace space = MakeSearchSpace(ChainNetwork(2), ChainTarget());
  EXPECT_EQ(space.size(), space.modes.size() * 3U * 16U);
  space.keepable_nodes.resize(63);
  EXPECT_EQ(space.size(), std::uint64_t{0x7fffffffffffffff});
  space.keepable_nodes.resize(61);
  EXPECT_EQ(space.size(), std::uint64_t{0x7fffffffffffffff});
}

TEST(SearchSpaceTest, EveryPointResolves) {
  const Graph graph = ChainNetwork(2);
  const TargetSpec target = ChainTarget();
  const SearchSpace space = MakeSearchSpace(graph, target);
  PointWalk walk(space);
  std::size_t count = 0;
  while (const auto point = walk.Next()) {
    EXPECT_NO_THROW(ResolvePrecision(graph, CandidateAt(space, *point).options, target));
    ++count;
  }
  EXPECT_EQ(count, space.size());
}

TEST(ModeFormatTest, OfModes) {
  EXPECT_EQ(FormatOfMode("force_fp16"), DType::kFloat16);
  EXPECT_EQ(FormatOfMode("allow_mix_precision"), DType::kFloat16);
  EXPECT_EQ(FormatOfMode("allow_mix_precision_bf16"), DType::kBFloat16);
  EXPECT_EQ(FormatOfMode("must_keep_origin_dtype"), std::nullopt);
  EXPECT_EQ(FormatOfMode("no such mode"), std::nullopt);
}

struct SummaryCase {
  const char* name;
  PrecisionOptions options;
  const char* summary;
};

class SummaryTest : public ::testing::TestWithParam<SummaryCase> {};

TEST_P(SummaryTest, SaysItInOneLine) {
  EXPECT_EQ(Summary(GetParam().options, AllVocabularies()[0]), GetParam().summary);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, SummaryTest,
    ::testing::Values(
        SummaryCase{"Nothing", {}, "default mode"},
        SummaryCase{"Mode", {.precision_mode = "force_fp16"}, "force_fp16"},
        SummaryCase{"ModeV2", {.precision_mode_v2 = "origin"}, "origin"},
        SummaryCase{"OneKept",
                    {.precision_mode = "force_fp16", .keep_dtype = {"conv1"}},
                    "force_fp16, keep conv1"},
        SummaryCase{"All",
                    {.precision_mode = "force_fp16",
                     .keep_dtype = {"a", "b"},
                     .op_precision_given = true,
                     .impl_mode_by_type = {{"Exp", ImplMode::kHighPrecision},
                                           {"Log", ImplMode::kHighPrecision},
                                           {"Conv2D", ImplMode::kHighPerformance}}},
                    "force_fp16, keep 2 nodes, high_precision for 2 types, high_performance for "
                    "Conv2D"},
        SummaryCase{"EmptyFile",
                    {.precision_mode = "force_fp16", .op_precision_given = true},
                    "force_fp16, empty op_precision file"},
        SummaryCase{
            "TypeList",
            {.op_select_implmode = "high_precision", .optypelist_for_implmode = {"Exp", "Pow"}},
            "default mode, high_precision for Exp, Pow"},
        SummaryCase{"MixlistWithoutChange",
                    {.precision_mode = "force_fp16", .modify_mixlist = Mixlist{}},
                    "force_fp16, 0 mixlist changes"},
        SummaryCase{
            "Files",
            {.precision_mode = "force_fp16",
             .modify_mixlist = Mixlist{.white = {{"Exp"}, {}}, .gray = {{}, {"Add", "Pow"}}},
             .customize_dtypes = {{.target = "conv1"}}},
            "force_fp16, 3 mixlist changes, 1 customized dtype line"},
        SummaryCase{"Texts",
                    {.allow_hf32 = "true",
                     .output_type = "FP16",
                     .input_fp16_nodes = {"x", "y"},
                     .is_weight_clip = "0",
                     .status_check = "1",
                     .graph_run_mode = "1"},
                    "default mode, 2 float16 inputs, allow_hf32=true, output_type=FP16, "
                    "is_weight_clip=0, status_check=1, graph_run_mode=1"}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace halftone
