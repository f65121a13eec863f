// Checks of a training script's settings against a model and a target.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.h"
#include "src/precision/resolve/modes.h"
#include "src/training/script.h"

namespace halftone {
namespace {

constexpr std::size_t kMostNames = 10;

// Nodes that cast to a 16-bit float: the author of the model chose dtypes by hand.
std::vector<std::string> CastsByHand(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) {
    if (node.op != OpKind::kCast) {
      continue;
    }
    const DType dtype = graph.value(node.outputs.front()).type.dtype;
    if (dtype == DType::kFloat16 || dtype == DType::kBFloat16) {
      names.push_back(node.name);
    }
  }
  return names;
}

std::string FirstNames(const std::vector<std::string>& names) {
  std::vector<std::string> first(
      names.begin(),
      names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNames)));
  const std::string more =
      names.size() > kMostNames ? fmt::format(" and {} more", names.size() - kMostNames) : "";
  return Join(first, ", ") + more;
}

}  // namespace

std::vector<std::string> CheckTrainingScript(const TrainingScript& script, const Graph& graph,
                                             PrecisionOptions& options, const TargetSpec& target) {
  std::vector<std::string> warnings;
  const PrecisionMode& mode = EffectiveMode(options, target);
  const bool training = IsTraining(options);
  if (mode.mixed_dtype) {
    if (const auto casts = CastsByHand(graph); !casts.empty()) {
      warnings.push_back(
          fmt::format("the model is already cast by hand ({}): it does not need {} on top; use "
                      "must_keep_origin_dtype, or take the casts out",
                      FirstNames(casts), mode.label()));
    }
  }
  if (training && mode.mixed_dtype == DType::kFloat16 && !script.loss_scaling) {
    warnings.push_back(fmt::format(
        "{} without a loss_scale_manager: small gradients become zero in float16; set up loss "
        "scaling",
        mode.label()));
  }
  if (training && mode.mixed_dtype == DType::kBFloat16 && script.loss_scaling) {
    warnings.push_back(fmt::format(
        "{} with a loss_scale_manager: bfloat16 has the range of float32, so loss scaling is "
        "normally not needed",
        mode.label()));
  }
  if (training && mode.keeps_origin && !options.customize_dtypes.empty()) {
    warnings.push_back(
        fmt::format("customize_dtypes has no effect in training with {}: remove one "
                    "of them",
                    mode.label()));
    options.customize_dtypes.clear();
  }
  return warnings;
}

}  // namespace halftone
