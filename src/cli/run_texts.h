// Results that `halftone run` prints: accuracy first, latency behind it, and how far a run came
// that ended early.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "src/api/halftone.h"
#include "src/api/options/point.h"

namespace halftone {

void PrintAccuracy(const RunResult& result);

// The latency, or why there is none.
void PrintLatency(const RunResult& result);

// Prints how far the run came before it was ended, and nothing for a whole run. `budget`: as typed.
void PrintEnd(std::string_view budget, const RunResult& result);

// A heading where the network has several input shapes.
void PrintShape(std::span<const Model> models, std::size_t shape);

// The measurement in the point.json of a point, if any, to compare with the one made now.
void PrintMeasuredThen(const Point& point, std::span<const Model> models,
                       const TargetOptions& target);

// The kernel of each step at each input shape, and why not a better one.
void PrintKernels(std::span<const Model> models, const TargetSpec& target,
                  const PrecisionOptions& precision, const std::vector<KernelChoices>& choices);

}  // namespace halftone
