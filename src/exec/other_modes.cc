#include "src/exec/other_modes.h"

namespace halftone {
namespace {

// True for an activation function behind a product, which fuse_activation_function computes by its
// exact algorithm. Relu and Clip have only one algorithm.
bool HasActivationFunction(const Node& step) {
  return step.fusion.activation && step.fusion.activation->op != OpKind::kRelu &&
         step.fusion.activation->op != OpKind::kClip;
}

ImplMode ModeInStep(const Node& step, NodeId part, const NodePrecision& precision) {
  const bool is_main = part == step.parts.front();
  return !is_main && HasActivationFunction(step) ? ImplMode::kHighPrecision : precision.impl_mode;
}

}  // namespace

std::vector<OtherMode> OtherModes(const PrecisionPlan& plan, const FusedNetwork& fused) {
  std::vector<OtherMode> others;
  for (std::size_t s = 0; s < fused.graph.nodes.size(); ++s) {
    const Node& step = fused.graph.nodes[s];
    for (const NodeId part : step.parts) {
      const ImplMode planned = plan.node(part).impl_mode;
      const ImplMode runs = ModeInStep(step, part, fused.plan.nodes[s]);
      if (planned != ImplMode::kDefault && planned != runs) {
        others.push_back({.node = part, .planned = planned, .runs = runs, .step = s});
      }
    }
  }
  return others;
}

}  // namespace halftone
