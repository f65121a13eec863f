#include "src/api/tune/destination.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "src/api/tune/prepare.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/ir/op_table.h"
#include "src/quantization/quantize.h"
#include "src/target/destinations.h"

namespace halftone {

void CheckDestination(const TargetSpec& target, const TuneOptions& options) {
  if (target.destination == nullptr) {
    return;
  }
  if (!options.measure.on.runtime.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("target {} is a cost model, by which nothing is timed, but "
                            "--measure={} times plans; leave one of them out",
                            target.name, Shown(options.measure.on.runtime)));
  }
  for (const std::string& mode : options.modes) {
    if (mode != kNothingLowered) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--precision_mode={}: target {} computes in 8 bits and float32 "
                              "alone; leave the mode out",
                              Shown(mode), target.name));
    }
  }
}

void RequireFusionsOff(const Graph& graph, const TargetSpec& target) {
  if (target.destination == nullptr) {
    return;
  }
  for (const std::string_view name : target.destination->fusions_off) {
    if (!graph.fusions_off.contains(name)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("target {} does not fuse as the network was read: fusion {} is on; "
                              "read the network with those of LoadFusionSwitches() for the target "
                              "switched off",
                              target.name, name));
    }
  }
}

SharedQuantization ForDestination(SharedQuantization quantization, const Graph& graph,
                                  const TargetSpec& target) {
  const Destination* destination = target.destination;
  if (destination == nullptr || destination->has_zero_points) {
    return quantization;
  }
  Quantization around = *quantization;
  for (auto& [name, scale] : around.activations) {
    scale = AroundZero(scale);
  }
  for (const Node& node : graph.nodes) {
    for (const ValueId id : node.inputs) {
      if (id != kNoValue && !InfoOf(node.op).Is(kCube) && graph.value(id).constant &&
          graph.value(id).type.dtype == DType::kFloat32) {
        around.activations.try_emplace(graph.value(id).name,
                                       AroundZero(ScaleOfConstant(*graph.value(id).constant)));
      }
    }
  }
  return SharedQuantization(std::move(around), quantization.source());
}

std::string CostModelOf(const TargetSpec& target) {
  return target.destination != nullptr ? std::string(target.destination->runtime) : target.name;
}

}  // namespace halftone
