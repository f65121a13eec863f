#include "bench/onnxruntime/compared_plans.h"

#include <fmt/format.h>

#include <string>

#include "src/base/error.h"

namespace halftone {
namespace {

PrecisionOptions Mode(std::string mode, std::string implementations) {
  PrecisionOptions options;
  options.precision_mode = std::move(mode);
  options.op_select_implmode = std::move(implementations);
  return options;
}

// Winograd's method keeps the error bound of the direct form, which kernels_conv_test checks.
PrecisionOptions Float32() {
  PrecisionOptions options = Mode("must_keep_origin_dtype", "");
  options.op_precision_given = true;  // every other operator as precise as it can be
  options.impl_mode_by_type = {{"Conv2D", ImplMode::kHighPerformance}};
  return options;
}

constexpr ComparedPlan kPlans[] = {
    {"f32", "float32, high_precision, convolutions by Winograd's method where that is faster",
     Float32},
    {"f32_direct", "float32, high_precision",
     [] { return Mode("must_keep_origin_dtype", "high_precision_for_all"); }},
    {"f16", "float16 wherever the operator has it, high_precision",
     [] { return Mode("force_fp16", "high_precision_for_all"); }},
    {"f16_fast", "float16 wherever the operator has it, high_performance",
     [] { return Mode("force_fp16", "high_performance_for_all"); }},
    {"mixed_f16_fast", "white list operators in float16, high_performance",
     [] { return Mode("allow_mix_precision", "high_performance_for_all"); }},
    {"mixed_bf16_fast", "white list operators in bfloat16, high_performance",
     [] { return Mode("allow_mix_precision_bf16", "high_performance_for_all"); }},
};

}  // namespace

std::span<const ComparedPlan> ComparedPlans() {
  return kPlans;
}

const ComparedPlan& FindComparedPlan(std::string_view name) {
  std::string names;
  for (const ComparedPlan& plan : kPlans) {
    if (plan.name == name) {
      return plan;
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", plan.name);
  }
  throw Error(ErrorKind::kUsage, fmt::format("--plan expects one of {}; found '{}'", names, name));
}

}  // namespace halftone
