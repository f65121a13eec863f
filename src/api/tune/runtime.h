// Runtime of --measure: where plans are built, timed and run in place of halftone's kernels
// (docs/measuring_elsewhere.md).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "search/measure/runtime.h"
#include "src/api/halftone.h"
#include "src/report/tune_summary.h"

namespace halftone {

struct Prepared;

// Error kUsage: `measure` names no kind of runtime, or its options are malformed.
void CheckMeasureText(std::string_view measure);

// The runtime that `measure` names, for plans of `model` on `target`, timed on the first sample of
// `data`. Null for an empty text. Errors as CheckMeasureText(), kIo, kUnsupported.
std::shared_ptr<Runtime> MakeRuntime(std::string_view measure, const Model& model,
                                     const TargetSpec& target, const Dataset& data, int threads);

// Sets Prepared::runtime by its options. Errors as MakeRuntime(); kUnsupported: several input
// shapes.
void OpenRuntime(Prepared& prepared);

// Points that did not run as their plans say, or whose accuracy is not that of the runtime's
// outputs: full sentences.
std::vector<std::string> WarningsOfRuntime(const TunedFront& front);

// Takes from the space what the runtime refuses or runs in float32, with a warning for each format.
void LeaveOutRefusedFormats(Prepared& prepared);

}  // namespace halftone
