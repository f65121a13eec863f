// The precision plans that are compared with ONNX Runtime, by name.
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

// The first is the default.
std::span<const ComparedPlan> ComparedPlans();

// Error kUsage with all names for an unknown one.
const ComparedPlan& FindComparedPlan(std::string_view name);

}  // namespace halftone
