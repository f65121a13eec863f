// Implementation modes of operators that no line and no list names: they stay as they were, on
// every target and in every mode.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/ir/ir_type.h"
#include "src/passes/passes.h"
#include "src/precision/resolve/modes.h"
#include "src/precision/resolve/resolve.h"
#include "tests/support/net.h"
#include "tests/support/plan_of_node.h"

namespace halftone {
namespace {

using testing::Net;
using testing::TargetOf;
using testing::With;

using Types = std::set<std::string>;

// Operators of which targets have several implementations, and a Relu, which has one everywhere.
// "other" is a second node of its type.
Graph Network() {
  Net net;
  ValueId x = net.Conv("conv", net.Image(), 4);
  for (const auto& [op, name] :
       {std::pair(OpKind::kExp, "exp"), std::pair(OpKind::kTanh, "tanh"),
        std::pair(OpKind::kTanh, "other"), std::pair(OpKind::kSigmoid, "sigmoid"),
        std::pair(OpKind::kGelu, "gelu"), std::pair(OpKind::kSqrt, "sqrt"),
        std::pair(OpKind::kSoftmax, "softmax"), std::pair(OpKind::kLogSoftmax, "log_softmax"),
        std::pair(OpKind::kRelu, "relu")}) {
    x = net.Add(op, name, {x});
  }
  x = net.Add(OpKind::kLayerNormalization, "norm", {x, net.Weights("norm.scale", {5})});
  x = net.Add(OpKind::kMatMul, "product", {x, net.Weights("product.w", {5, 5})});
  x = net.Add(OpKind::kDiv, "div", {x, net.Weights("div.by", {5}, 1, 2)});
  x = net.Add(OpKind::kReduceMean, "mean", {x});
  const ValueId index =
      net.Constant("index", Tensor::From<std::int64_t>(Shape{1}, std::vector<std::int64_t>{0}));
  x = net.Add(OpKind::kGather, "gather", {x, index});
  Graph graph = net.Finish({x});
  Canonicalize(graph);
  return graph;
}

// The plan; empty: the target cannot run the network so.
std::optional<PrecisionPlan> PlanOf(const Graph& graph, const PrecisionOptions& options,
                                    const TargetSpec& target) {
  try {
    return ResolvePrecision(graph, options, target);
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool IsOffered(const Graph& graph, const Node& node, const NodePrecision& precision,
               const TargetSpec& target, ImplMode mode) {
  const auto op = target.ai_core.find(IrTypeOf(graph, node));
  if (op == target.ai_core.end() || precision.engine != Engine::kAiCore) {
    return false;
  }
  const auto modes = op->second.impl_modes.find(precision.inputs[0].dtype());
  return modes != op->second.impl_modes.end() && modes->second.size() > 1 &&
         std::ranges::find(modes->second, mode) != modes->second.end();
}

// The ways to ask for `mode` for these types alone.
std::vector<PrecisionOptions> WaysToAsk(const PrecisionOptions& plain, const Types& types,
                                        ImplMode mode) {
  PrecisionOptions list = plain;
  list.op_select_implmode = NameOf(mode);
  list.optypelist_for_implmode.assign(types.begin(), types.end());
  PrecisionOptions reversed = list;
  std::ranges::reverse(reversed.optypelist_for_implmode);
  PrecisionOptions file = plain;
  file.op_precision_given = true;
  for (const std::string& type : types) {
    file.impl_mode_by_type[type] = mode;
  }
  PrecisionOptions file_beside_select = file;
  file_beside_select.op_select_implmode = "high_precision_for_all";
  return {list, reversed, file, file_beside_select};
}

class ImplementationOfOthers : public ::testing::TestWithParam<const char*> {
 protected:
  // The operators named `types` have the mode where it is offered; everything else is as in
  // `before`.
  void ExpectOnlyChanged(const PrecisionPlan& before, const PrecisionOptions& options,
                         const Types& types, ImplMode mode) {
    const std::optional<PrecisionPlan> after = PlanOf(graph_, options, target_);
    ASSERT_TRUE(after);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      NodePrecision expected = before.nodes[n];
      if (types.contains(std::string(IrTypeOf(graph_, node))) &&
          IsOffered(graph_, node, expected, target_, mode)) {
        changed_ += expected.impl_mode == mode ? 0 : 1;
        expected.impl_mode = mode;
      }
      EXPECT_EQ(after->nodes[n], expected)
          << node.name << " is " << NameOf(after->nodes[n].impl_mode) << ", expected "
          << NameOf(expected.impl_mode) << " under " << options.precision_mode;
    }
  }

  // Each type, neighbours in pairs, and all.
  [[nodiscard]] std::vector<Types> Sets() const {
    std::vector<std::string> types;
    for (const Node& node : graph_.nodes) {
      types.emplace_back(IrTypeOf(graph_, node));
    }
    std::vector<Types> sets = {Types(types.begin(), types.end())};
    for (std::size_t i = 0; i < types.size(); ++i) {
      sets.push_back({types[i]});
      sets.push_back({types[i], types[(i + 1) % types.size()]});
    }
    return sets;
  }

  Graph graph_ = Network();
  TargetSpec target_ = TargetOf(GetParam());
  int changed_ = 0;
};

TEST_P(ImplementationOfOthers, StaysWhereAListOrAFileNamesTypes) {
  for (const PrecisionMode& mode : AllPrecisionModes()) {
    const PrecisionOptions plain{.precision_mode = std::string(mode.name)};
    const std::optional<PrecisionPlan> before = PlanOf(graph_, plain, target_);
    if (mode.name.empty() || !before) {
      continue;
    }
    for (const Types& types : Sets()) {
      for (const ImplMode asked : {ImplMode::kHighPrecision, ImplMode::kHighPerformance}) {
        for (const PrecisionOptions& options : WaysToAsk(plain, types, asked)) {
          ExpectOnlyChanged(*before, options, types, asked);
        }
      }
    }
  }
  EXPECT_GT(changed_, 0) << "nothing was named that has several implementations";
}

TEST_P(ImplementationOfOthers, StaysWhereAFileNamesOneNode) {
  const PrecisionOptions plain{.precision_mode = "force_fp16"};
  const PrecisionPlan before = ResolvePrecision(graph_, plain, target_);
  for (const ImplMode asked : {ImplMode::kHighPrecision, ImplMode::kHighPerformance}) {
    PrecisionOptions options = plain;
    options.op_precision_given = true;
    options.impl_mode_by_node["other"] = asked;
    const PrecisionPlan after = ResolvePrecision(graph_, options, target_);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      NodePrecision expected = before.nodes[n];
      if (graph_.nodes[n].name == "other" &&
          IsOffered(graph_, graph_.nodes[n], expected, target_, asked)) {
        expected.impl_mode = asked;
      }
      EXPECT_EQ(after.nodes[n], expected) << graph_.nodes[n].name;
    }
  }
}

// --allow_hf32 names operators in float32: a line for their type counts in float16.
TEST_P(ImplementationOfOthers, AllowHf32LeavesTypeLinesOfFloat16) {
  const std::vector<Types> sets = Sets();
  for (const char* hf32 : {"00", "11"}) {
    PrecisionOptions options{.precision_mode = "force_fp16"};
    for (const std::string& type : sets.front()) {
      options.impl_mode_by_type[type] = ImplMode::kHighPerformance;
    }
    const PrecisionPlan before = ResolvePrecision(graph_, options, target_);
    options.allow_hf32 = hf32;
    EXPECT_EQ(ResolvePrecision(graph_, options, target_).nodes, before.nodes) << hf32;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, ImplementationOfOthers,
                         ::testing::Values("host", "Ascend310", "Ascend310P3", "Ascend310B4",
                                           "Ascend910A", "Ascend910B1", "Ascend910_9391",
                                           "Ascend950PR_9599"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace halftone
