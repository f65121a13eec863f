// Every cell of the truth tables (truth_table_rows.h). "CPU": AI CPU in the original dtype when its
// library has it, else EZ3003.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/precision/resolve/modes.h"
#include "src/precision/resolve/resolve.h"
#include "tests/precision/resolve/truth_table_rows.h"
#include "tests/support/plain_graph_builder.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;
using testing::Homogeneous;
using testing::MakeTarget;
using testing::PlainGraphBuilder;
using testing::TableDType;
using truth_table::kAnyPolicy;
using truth_table::kBF16;
using truth_table::kF16;
using truth_table::kF32;
using truth_table::Kind;
using truth_table::kRows;
using truth_table::kSets;
using truth_table::Row;
using truth_table::Upstream;

// The node under test is "op", a Relu; before it, where a cell asks for one, a producer that
// resolves to the wanted dtype in both mixed modes.
Graph GraphFor(const Row& row) {
  const DType original = TableDType(row.original);
  PlainGraphBuilder builder;
  ValueId from = kNoValue;
  switch (row.upstream) {
    case Upstream::kGraphInput:
      from = builder.Input("x", original);
      break;
    case Upstream::kNone:
      from = builder.Dangling("x", original);
      break;
    case Upstream::kFloat32:
      from = builder.Node(OpKind::kExp, "black", {builder.Input("x")}, original);
      break;
    case Upstream::kFloat16:
    case Upstream::kBFloat16:
      from = builder.Node(OpKind::kAbs, "white", {builder.Input("x")}, original);
      break;
  }
  const ValueId result = builder.Node(OpKind::kRelu, "op", {from}, original);
  return builder.Finish({result});
}

TargetSpec TargetFor(MixPolicy policy, bool cube, const std::vector<DType>& dtypes) {
  const std::vector<DType> all = {kF16, kF32, kBF16};
  return MakeTarget({{"Relu", Homogeneous(1, dtypes, policy, cube)},
                     {"Abs", Homogeneous(1, all, MixPolicy::kWhite)},
                     {"Exp", Homogeneous(1, all, MixPolicy::kBlack)}});
}

struct Cell {
  std::string text;
  bool warns = false;
};

std::vector<Cell> CellsOf(const Row& row) {
  std::vector<Cell> cells;
  for (const std::string_view text : Split(row.cells, ' ')) {
    const bool warns = text.ends_with("+w");
    cells.push_back({std::string(warns ? text.substr(0, text.size() - 2) : text), warns});
  }
  return cells;
}

// Without an AI CPU library.
void ExpectCell(const Graph& graph, const PrecisionOptions& options, const TargetSpec& target,
                const Cell& cell) {
  if (cell.text == "CPU") {
    try {
      ResolvePrecision(graph, options, target);
      ADD_FAILURE() << "expected EZ3003";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
      EXPECT_THAT(error.what(),
                  HasSubstr("EZ3002: optype [Relu] is not supported by AiCore: inputs"));
      EXPECT_THAT(error.what(), HasSubstr("EZ3002: optype [Relu] is not supported by AiCpu"));
      EXPECT_THAT(error.what(), HasSubstr("EZ3003: no supported kernel and engine found for [op]"));
    }
    return;
  }
  const PrecisionPlan plan = ResolvePrecision(graph, options, target);
  const NodePrecision& node = plan.nodes.back();
  EXPECT_EQ(node.engine, Engine::kAiCore);
  EXPECT_EQ(NameOf(node.inputs.at(0)), NameOf(TableDType(cell.text)));
  EXPECT_EQ(NameOf(node.outputs.at(0)), NameOf(TableDType(cell.text)));
  EXPECT_EQ(plan.warnings.size(), cell.warns ? 1U : 0U);
  if (cell.warns) {
    EXPECT_THAT(plan.warnings.at(0), HasSubstr("node 'op' (Relu) is on the white list"));
  }
}

// With one that has every dtype: only the CPU cells change.
void ExpectCellWithAiCpu(const Graph& graph, const PrecisionOptions& options, TargetSpec target,
                         const Cell& cell) {
  target.ai_cpu["Relu"] = AiCpuOp::Any(kAllDTypes);
  const PrecisionPlan plan = ResolvePrecision(graph, options, target);
  const NodePrecision& node = plan.nodes.back();
  if (cell.text == "CPU") {
    EXPECT_EQ(node.engine, Engine::kAiCpu);
    EXPECT_EQ(node.inputs.at(0), graph.value(graph.nodes.back().inputs[0]).type.dtype);
    EXPECT_EQ(node.outputs.at(0), graph.value(graph.nodes.back().outputs[0]).type.dtype);
    EXPECT_THAT(node.reason, HasSubstr("AiCpu in the original dtypes"));
  } else {
    EXPECT_EQ(node.engine, Engine::kAiCore);
    EXPECT_EQ(node.outputs.at(0), TableDType(cell.text));
  }
}

// With one that has the type, but not the original dtype: as without.
void ExpectNoAiCpuForOtherDTypes(const Graph& graph, const PrecisionOptions& options,
                                 TargetSpec target, const Cell& cell) {
  target.ai_cpu["Relu"] = AiCpuOp::Any(DTypeSet(DType::kInt32));
  if (cell.text == "CPU") {
    EXPECT_THROW(ResolvePrecision(graph, options, target), Error);
  } else {
    EXPECT_EQ(ResolvePrecision(graph, options, target).nodes.back().engine, Engine::kAiCore);
  }
}

class TruthTable : public ::testing::TestWithParam<Row> {};

TEST_P(TruthTable, EveryCell) {
  const Row& row = GetParam();
  const Graph graph = GraphFor(row);
  const std::vector<Cell> cells = CellsOf(row);
  ASSERT_EQ(cells.size(), kSets.size());
  for (const std::string& mode : row.modes) {
    PrecisionOptions options;
    options.precision_mode = mode;
    if (row.kept) {
      options.keep_dtype = {"op"};
    }
    for (const MixPolicy policy : row.policies) {
      for (const bool cube : {false, true}) {
        if ((cube && row.kind == Kind::kVector) || (!cube && row.kind == Kind::kCube)) {
          continue;
        }
        for (std::size_t set = 0; set < kSets.size(); ++set) {
          SCOPED_TRACE(fmt::format("mode {}, {}, {}, set {}", mode, NameOf(policy),
                                   cube ? "cube" : "vector", "abcdefg"[set]));
          const TargetSpec target = TargetFor(policy, cube, kSets[set]);
          ExpectCell(graph, options, target, cells[set]);
          ExpectCellWithAiCpu(graph, options, target, cells[set]);
          ExpectNoAiCpuForOtherDTypes(graph, options, target, cells[set]);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, TruthTable, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

// The values of --precision_mode_v2 fill the same cells as their names in --precision_mode.
TEST(TruthTable, V2NamesResolveAlike) {
  for (const PrecisionMode& mode : AllPrecisionModes()) {
    if (mode.name.empty() || mode.v2_name.empty()) {
      continue;
    }
    for (const Row& row : kRows) {
      const Graph graph = GraphFor(row);
      for (const MixPolicy policy : kAnyPolicy) {
        for (const auto& set : kSets) {
          TargetSpec target = TargetFor(policy, false, set);
          target.ai_cpu["Relu"] = AiCpuOp::Any(kAllDTypes);
          PrecisionOptions v1;
          v1.precision_mode = mode.name;
          PrecisionOptions v2;
          v2.precision_mode_v2 = mode.v2_name;
          EXPECT_EQ(ResolvePrecision(graph, v1, target), ResolvePrecision(graph, v2, target));
        }
      }
    }
  }
}

// "first listed" cells: where both 16-bit types are listed, mixed float16 prefers float16 and mixed
// bfloat16 takes the library's order.
TEST(TruthTable, FirstListed) {
  const std::vector<DType> reversed = {kBF16, kF16};
  const auto resolve = [&](const char* mode, DType original) {
    PlainGraphBuilder builder;
    const ValueId y = builder.Node(OpKind::kRelu, "op", {builder.Input("x", original)}, original);
    PrecisionOptions options;
    options.precision_mode = mode;
    return ResolvePrecision(builder.Finish({y}), options,
                            TargetFor(MixPolicy::kWhite, false, reversed))
        .nodes[0]
        .outputs[0];
  };
  EXPECT_EQ(resolve("allow_mix_precision", kBF16), kF16);
  EXPECT_EQ(resolve("allow_mix_precision", kF32), kF16);
  EXPECT_EQ(resolve("allow_mix_precision_bf16", kF16), kBF16);
  EXPECT_EQ(resolve("allow_mix_precision_bf16", kF32), kBF16);
}

}  // namespace
}  // namespace halftone
