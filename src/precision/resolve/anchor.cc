#include "src/precision/resolve/anchor.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/base/error.h"
#include "src/precision/resolve/modes.h"
#include "src/precision/resolve/resolve.h"
#include "src/precision/vocabulary.h"

namespace halftone {
namespace {

struct FloatTensors {
  std::int64_t all = 0;  // operands and results of floating types
  std::int64_t float32 = 0;
};

FloatTensors FloatTensorsOf(const PrecisionPlan& plan) {
  FloatTensors count;
  for (const NodePrecision& node : plan.nodes) {
    for (const auto* formats : {&node.inputs, &node.outputs}) {
      for (const NumericFormat& format : *formats) {
        count.all += IsFloating(format.dtype()) ? 1 : 0;
        count.float32 += format == DType::kFloat32 ? 1 : 0;
      }
    }
  }
  return count;
}

// Empty: the target does not run the network in it.
std::optional<PrecisionPlan> PlanIn(const PrecisionMode& mode, const Graph& graph,
                                    const TargetSpec& target) {
  try {
    return ResolvePrecision(graph, {.precision_mode = std::string(mode.name)}, target);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) {
      throw;
    }
    return std::nullopt;
  }
}

}  // namespace

Anchor AnchorOf(const Graph& graph, const TargetSpec& target) {
  Anchor anchor{.plan = ReferencePlan(graph)};
  if (target.is_host() || target.destination != nullptr) {
    return anchor;
  }
  std::int64_t most = -1;
  for (const PrecisionMode& mode : AllPrecisionModes()) {
    std::optional<PrecisionPlan> plan =
        mode.IsOptionOf(target) ? PlanIn(mode, graph, target) : std::nullopt;
    if (!plan) {
      continue;
    }
    const FloatTensors tensors = FloatTensorsOf(*plan);
    if (tensors.float32 == tensors.all) {
      return {.plan = ReferencePlan(graph)};
    }
    if (tensors.float32 > most) {
      most = tensors.float32;
      anchor = {.name = std::string(VocabularyOf(target).ModeWord(mode.name)),
                .plan = *std::move(plan)};
    }
  }
  return anchor;
}

}  // namespace halftone
