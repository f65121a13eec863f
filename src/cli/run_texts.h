// Results that `halftone run` prints: the accuracy, the latency and, if the run ended early, how
// far it came.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "src/api/halftone.h"
#include "src/api/options/point.h"

namespace halftone {

void PrintAccuracy(const RunResult& result);

// Prints the latency, or why there is none.
void PrintLatency(const RunResult& result);

// If the run ended early, prints how far it came. `budget`: the option as typed.
void PrintEnd(std::string_view budget, const RunResult& result);

// Prints a heading with the shape if the network has several input shapes.
void PrintShape(std::span<const Model> models, std::size_t shape);

// Prints the measurement in the point.json of the point, if it has one, for comparison.
void PrintMeasuredThen(const Point& point, std::span<const Model> models,
                       const TargetOptions& target);

// Prints the kernel of each step at each input shape, and why faster kernels were passed over.
void PrintKernels(std::span<const Model> models, const TargetSpec& target,
                  const PrecisionOptions& precision, const std::vector<KernelChoices>& choices);

}  // namespace halftone
