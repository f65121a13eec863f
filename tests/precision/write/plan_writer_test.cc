#include "src/precision/write/plan_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "src/base/error.h"
#include "src/precision/files/write_files.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_plans.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Homogeneous;
using ::testing::IsEmpty;
using testing::MakeTarget;
using testing::PlainGraphBuilder;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kF32 = DType::kFloat32;

// Written to files, read back and resolved.
PrecisionPlan ThroughFiles(const Graph& graph, const WrittenConfiguration& written,
                           const TargetSpec& target) {
  return ResolvePrecision(graph, ReadOptionFiles(WriteOptionFiles(written.options)), target);
}

// ---- Examples -----------------------------------------------------------------------------------

// relu0 .. relu5 in a row.
Graph ReluChain(std::vector<std::string> names) {
  PlainGraphBuilder builder;
  ValueId value = builder.Input("x");
  for (const std::string& name : names) {
    value = builder.Node(OpKind::kRelu, name, {value});
  }
  return builder.Finish({value});
}

TargetSpec ReluTarget() {
  return MakeTarget({{"Relu", Homogeneous(1, {kF16, kF32, DType::kBFloat16}, MixPolicy::kGray)}});
}

PrecisionPlan PlanOf(const std::vector<DType>& dtypes) {
  PrecisionPlan plan;
  for (const DType dtype : dtypes) {
    plan.nodes.push_back({.inputs = {dtype}, .outputs = {dtype}, .reason = {}});
  }
  return plan;
}

const std::vector<std::string> kNames = {"r0", "r1", "r2", "r3", "r4", "r5"};

TEST(ConfigurationFor, AModeAloneWhereThatIsEnough) {
  const auto written =
      ConfigurationFor(ReluChain(kNames), PlanOf(std::vector<DType>(6, kF16)), ReluTarget());
  EXPECT_EQ(written.options.precision_mode, "force_fp16");
  EXPECT_EQ(written.size, 1U);
}

TEST(ConfigurationFor, KeepsOneNode) {
  const auto written = ConfigurationFor(ReluChain(kNames),
                                        PlanOf({kF16, kF16, kF32, kF16, kF16, kF16}), ReluTarget());
  EXPECT_EQ(written.options.precision_mode, "force_fp16");
  EXPECT_THAT(written.options.keep_dtype, ElementsAre("r2"));
  EXPECT_EQ(written.size, 3U);
}

TEST(ConfigurationFor, ATypeLineAndAnExceptionBeatFiveNames) {
  // bfloat16 in five of six: no mode gives it, so the type has a line and one node another.
  std::vector<DType> dtypes(6, DType::kBFloat16);
  dtypes[4] = kF32;
  const auto written = ConfigurationFor(ReluChain(kNames), PlanOf(dtypes), ReluTarget());
  EXPECT_EQ(written.size, 3U + 1U - 1U + 1U);  // mode, file, type line, node line
  EXPECT_EQ(written.options.customize_dtypes.size() + written.options.keep_dtype.size(), 2U);
}

TEST(ConfigurationFor, AMixlistWhereItIsShorter) {
  // The black Exp is wanted as its producer has it: float16 behind convolutions, float32 behind the
  // input. One change of the list says it for all of them.
  PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const ValueId w = builder.Constant("w");
  std::vector<ValueId> outputs;
  PrecisionPlan plan;
  for (const char* branch : {"a", "b", "c"}) {
    const std::string name = branch;
    const ValueId conv = builder.Node(OpKind::kConv, "conv_" + name, {x, w});
    plan.nodes.push_back({.inputs = {kF16, kF16}, .outputs = {kF16}, .reason = {}});
    outputs.push_back(builder.Node(OpKind::kExp, "after_conv_" + name, {conv}));
    plan.nodes.push_back({.inputs = {kF16}, .outputs = {kF16}, .reason = {}});
    outputs.push_back(builder.Node(OpKind::kExp, "after_input_" + name, {x}));
    plan.nodes.push_back({.inputs = {kF32}, .outputs = {kF32}, .reason = {}});
  }
  const Graph graph = builder.Finish(outputs);
  const std::vector<DType> both = {kF16, kF32};
  const TargetSpec target = MakeTarget({{"Conv2D", Homogeneous(2, both, MixPolicy::kWhite, true)},
                                        {"Exp", Homogeneous(1, both, MixPolicy::kBlack)}});
  const auto written = ConfigurationFor(graph, plan, target);
  EXPECT_EQ(written.options.precision_mode, "allow_mix_precision");
  ASSERT_TRUE(written.options.modify_mixlist.has_value());
  EXPECT_THAT(written.options.modify_mixlist->black.to_remove, ElementsAre("Exp"));
  EXPECT_EQ(written.size, 3U);
  EXPECT_EQ(ThroughFiles(graph, written, target), plan);
}

TEST(ConfigurationFor, NamesThatAFormatCannotExpressAreSaid) {
  // '#a' cannot be kept by name, ':' not customised; what was fused into it has a name of its own.
  PlainGraphBuilder builder;
  const ValueId x = builder.Input("x");
  const ValueId a = builder.Node(OpKind::kRelu, "#a", {x}, kF32, {{"clip", "Clip"}});
  const Graph graph = builder.Finish({builder.Node(OpKind::kRelu, "b", {a})});
  const auto written = ConfigurationFor(graph, PlanOf({kF32, kF16}), ReluTarget());
  EXPECT_EQ(ThroughFiles(graph, written, ReluTarget()), PlanOf({kF32, kF16}));
  if (written.options.precision_mode == "force_fp16") {
    EXPECT_THAT(written.options.keep_dtype, ElementsAre("clip"));
    EXPECT_THAT(written.notes,
                ElementsAre("keep_dtype cannot name '#a' alone; 'clip', which was fused into it, "
                            "stands for it"));
  }
}

TEST(ConfigurationFor, SaysWhichNodeNoOptionReaches) {
  const auto expect_error = [](const Graph& graph, const PrecisionPlan& plan, const char* message) {
    try {
      ConfigurationFor(graph, plan, ReluTarget());
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
      EXPECT_THAT(error.what(), HasSubstr(message));
    }
  };
  expect_error(ReluChain({"a"}), PlanOf({DType::kFloat64}),
               "no option set for test gives node 'a' the dtypes of the plan");
  // Two nodes of one name: no line means one of them alone.
  expect_error(ReluChain({"a", "b", "a", "b"}), PlanOf({kF16, kF32, DType::kBFloat16, kF16}),
               "no option set for test gives node");
  PrecisionPlan mode = PlanOf({kF16});
  mode.nodes[0].impl_mode = ImplMode::kHighPrecision;
  expect_error(ReluChain({"a"}), mode, "gives node 'a' the implementation mode of the plan");
}

TEST(ConfigurationFor, TakesInputsOutputsAndFlagsAlong) {
  PrecisionPlan plan = PlanOf({kF16, kF16});
  plan.graph_inputs = {kF16};
  plan.graph_outputs = {DType::kUInt8};
  plan.clip_weights = false;
  const Graph graph = ReluChain({"a:b", "c"});
  const auto written = ConfigurationFor(graph, plan, ReluTarget());
  EXPECT_EQ(written.options.output_type, "UINT8");
  EXPECT_THAT(written.options.input_fp16_nodes, ElementsAre("x"));
  EXPECT_EQ(written.options.is_weight_clip, "0");
  EXPECT_EQ(ThroughFiles(graph, written, ReluTarget()), plan);
}

// ---- Implementation modes -----------------------------------------------------------------------

TEST(ConfigurationFor, TheShortestSourceOfImplementationModes) {
  PlainGraphBuilder builder;
  ValueId value = builder.Input("x");
  for (int i = 0; i < 4; ++i) {
    value = builder.Node(OpKind::kExp, "e" + std::to_string(i), {value});
  }
  const Graph graph = builder.Finish({value});
  TargetSpec target = MakeTarget({{"Exp", Homogeneous(1, {kF16, kF32})}});
  target.ai_core["Exp"].impl_modes[kF16] = {ImplMode::kHighPrecision, ImplMode::kHighPerformance};
  const auto written = [&](const char* modes) {  // p: high_precision, f: high_performance
    PrecisionPlan plan = PlanOf(std::vector<DType>(4, kF16));
    for (std::size_t i = 0; i < 4; ++i) {
      plan.nodes[i].impl_mode =
          modes[i] == 'p' ? ImplMode::kHighPrecision : ImplMode::kHighPerformance;
    }
    const auto result = ConfigurationFor(graph, plan, target);
    EXPECT_EQ(ThroughFiles(graph, result, target), plan);
    return result;
  };
  EXPECT_EQ(written("ffff").size, 1U);  // the built-in table says so
  EXPECT_EQ(written("pppp").size, 2U);  // another table
  EXPECT_EQ(written("fffp").size, 3U);  // an ini with one node
  EXPECT_EQ(written("ppfp").size, 4U);  // with the type and one node
}

// ---- Round trip ---------------------------------------------------------------------------------

TEST(RoundTrip, RandomPlansOnRandomGraphs) {
  constexpr std::uint64_t kCases = 3000;
  std::size_t with_keep = 0;
  std::size_t with_custom = 0;
  std::size_t with_mixlist = 0;
  std::size_t unreachable = 0;
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    Graph graph = testing::RandomGraph(rng);
    const TargetSpec target = testing::RandomTarget(rng);
    // Any plan, and plans as options make them.
    const PrecisionPlan plan =
        seed % 2 == 0 ? testing::RandomPlan(rng, graph, target)
                      : ResolvePrecision(graph, testing::RandomOptions(rng, graph, target), target);
    WrittenConfiguration written;
    try {
      written = ConfigurationFor(graph, plan, target);
    } catch (const Error& error) {
      // Only names can be in the way: with plain ones the same plan is reached.
      ASSERT_EQ(error.kind(), ErrorKind::kUnsupported) << error.what();
      ++unreachable;
      testing::GivePlainNames(graph);
      written = ConfigurationFor(graph, plan, target);
    }
    ASSERT_EQ(ThroughFiles(graph, written, target), plan);
    with_keep += written.options.keep_dtype.empty() ? 0 : 1;
    with_custom += written.options.customize_dtypes.empty() ? 0 : 1;
    with_mixlist += written.options.modify_mixlist ? 1 : 0;
  }
  // The generator reaches every file.
  EXPECT_GT(with_keep, kCases / 10);
  EXPECT_GT(with_custom, kCases / 10);
  EXPECT_GT(with_mixlist, 0U);  // types of few nodes rarely make it the shortest
  EXPECT_LT(unreachable, kCases / 4);
}

// ---- The least size -----------------------------------------------------------------------------

// Everything that can stand in the dtype files of a small graph.
struct Entry {
  std::function<void(PrecisionOptions&)> add;
  int file;  // 0 keep_dtype, 1 customize_dtypes, 2 modify_mixlist
};

std::vector<Entry> AllEntries(const Graph& graph, const TargetSpec& target) {
  std::vector<Entry> entries;
  const auto add_keep = [&](std::string line) {
    entries.push_back({[=](PrecisionOptions& options) { options.keep_dtype.push_back(line); }, 0});
  };
  const auto add_custom = [&](const std::string& name, bool is_type, const LibraryOp& op) {
    for (std::size_t c = 0; c < op.column_count(); ++c) {
      CustomDTypes line{name, is_type, {}, {op.outputs[0][c]}};
      for (const auto& input : op.inputs) {
        line.inputs.emplace_back(input[c]);
      }
      entries.push_back(
          {[=](PrecisionOptions& options) { options.customize_dtypes.push_back(line); }, 1});
    }
  };
  std::set<std::string> types;
  for (const Node& node : graph.nodes) {
    const std::string type(IrTypeOf(graph, node));
    if (node.op == OpKind::kCast) {
      continue;
    }
    const LibraryOp& op = target.ai_core.at(type);
    add_keep(node.name);
    add_custom(node.name, false, op);
    if (types.insert(type).second) {
      add_keep("OpType::" + type);
      add_custom(type, true, op);
      for (auto list : {&Mixlist::white, &Mixlist::black}) {
        for (auto verb : {&MixlistChange::to_add, &MixlistChange::to_remove}) {
          entries.push_back({[=](PrecisionOptions& options) {
                               if (!options.modify_mixlist) {
                                 options.modify_mixlist.emplace();
                               }
                               ((*options.modify_mixlist).*list.*verb).push_back(type);
                             },
                             2});
        }
      }
    }
  }
  return entries;
}

// Whether at most `entries` entries lead to the plan with a smaller size than `size`.
bool SmallerExists(const Graph& graph, const PrecisionPlan& plan, const TargetSpec& target,
                   const PrecisionOptions& impl_modes, std::size_t size) {
  const std::vector<Entry> entries = AllEntries(graph, target);
  const auto resolves = [&](const std::vector<std::size_t>& chosen) {
    std::set<int> files;
    for (const std::size_t entry : chosen) {
      files.insert(entries[entry].file);
    }
    if (1 + files.size() + chosen.size() >= size) {
      return false;
    }
    for (const PrecisionMode& mode : AllPrecisionModes()) {
      PrecisionOptions options = impl_modes;
      options.precision_mode = mode.name;
      options.keep_dtype.clear();
      options.customize_dtypes.clear();
      options.modify_mixlist.reset();
      if (mode.name.empty() || (files.contains(2) && !mode.mixed_dtype)) {
        continue;
      }
      for (const std::size_t entry : chosen) {
        entries[entry].add(options);
      }
      try {
        if (ResolvePrecision(graph, options, target) == plan) {
          return true;
        }
      } catch (const Error&) {
        continue;
      }
    }
    return false;
  };
  if (resolves({})) {
    return true;
  }
  for (std::size_t a = 0; a < entries.size(); ++a) {
    if (resolves({a})) {
      return true;
    }
    for (std::size_t b = a + 1; size > 4 && b < entries.size(); ++b) {
      if (resolves({a, b})) {
        return true;
      }
    }
  }
  return false;
}

TEST(Smallest, NoSmallerSetOfUpToTwoEntriesGivesThePlan) {
  int larger_than_mode = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    Graph graph = testing::RandomGraph(rng);
    graph.nodes.resize(std::min<std::size_t>(graph.nodes.size(), 3));
    graph.outputs = {graph.nodes.back().outputs[0]};
    testing::GivePlainNames(graph);
    const TargetSpec target = testing::RandomTarget(rng);
    const PrecisionPlan plan = testing::RandomPlan(rng, graph, target);
    const WrittenConfiguration written = ConfigurationFor(graph, plan, target);
    // The implementation modes stay as they were found: they do not depend on the rest.
    PrecisionOptions impl_modes = written.options;
    std::size_t size = 1 + (written.options.keep_dtype.empty() ? 0 : 1) +
                       written.options.keep_dtype.size() +
                       (written.options.customize_dtypes.empty() ? 0 : 1) +
                       written.options.customize_dtypes.size();
    if (written.options.modify_mixlist) {
      const Mixlist& mixlist = *written.options.modify_mixlist;
      size += 1 + mixlist.white.to_add.size() + mixlist.white.to_remove.size() +
              mixlist.black.to_add.size() + mixlist.black.to_remove.size();
    }
    EXPECT_FALSE(SmallerExists(graph, plan, target, impl_modes, size)) << size;
    larger_than_mode += size > 1 ? 1 : 0;
  }
  EXPECT_GT(larger_than_mode, 30);
}

}  // namespace
}  // namespace halftone
