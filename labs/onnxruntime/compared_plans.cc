#include "labs/onnxruntime/compared_plans.h"

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

// Matrix operators in high_performance; every other operator is as precise as it can be.
PrecisionOptions FastMatrices(std::string mode) {
  PrecisionOptions options = Mode(std::move(mode), "");
  options.op_precision_given = true;
  for (const char* type : {"Conv2D", "MatMulV2", "BatchMatMulV2"}) {
    options.impl_mode_by_type[type] = ImplMode::kHighPerformance;
  }
  return options;
}

// kernels_winograd_test: the measured error of Winograd's method is within the bound of the direct
// form.
constexpr ComparedPlan kPlans[] = {
    {"f32", "float32, convolutions by Winograd's method where that is faster",
     [] { return FastMatrices("must_keep_origin_dtype"); }},
    {"f32_direct", "float32, high_precision",
     [] { return Mode("must_keep_origin_dtype", "high_precision_for_all"); }},
    {"f16", "float16 wherever the operator has it, high_precision",
     [] { return Mode("force_fp16", "high_precision_for_all"); }},
    {"f16_fast", "float16 wherever the operator has it, matrix operators in high_performance",
     [] { return FastMatrices("force_fp16"); }},
    {"mixed_f16_fast", "matrix operators in float16 and high_performance, others by list",
     [] { return FastMatrices("allow_mix_precision"); }},
    {"mixed_bf16", "matrix operators in bfloat16, others by list",
     [] { return FastMatrices("allow_mix_precision_bf16"); }},
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
