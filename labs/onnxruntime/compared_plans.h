// Precision plans for the comparison with ONNX Runtime, by name.
#pragma once

#include <span>
#include <string_view>

#include "src/precision/precision_options.h"

namespace halftone {

struct ComparedPlan {
  std::string_view name;
  std::string_view meaning;
  PrecisionOptions (*options)();
};

// All plans, the default first.
std::span<const ComparedPlan> ComparedPlans();

// The plan named `name`. Error kUsage, with all names, for an unknown name.
const ComparedPlan& FindComparedPlan(std::string_view name);

}  // namespace halftone
