// Latency of a candidate relative to float32 in ONNX Runtime.
#pragma once

#include "search/measure/paired_rounds.h"
#include "search/trial/trial.h"
#include "src/runtimes/onnxruntime/ort_binding.h"

namespace halftone {

// Times both in turns by the clock (MeasurePairedRounds()).
Latency TimeBindings(OrtBinding& candidate, OrtBinding& float32, const PairedRoundsOptions& rounds);

}  // namespace halftone
