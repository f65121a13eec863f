// Latency ratio of two networks in ONNX Runtime, with a clock.
#pragma once

#include "search/measure/paired_rounds.h"
#include "search/trial/trial.h"
#include "src/runtimes/onnxruntime/ort_binding.h"

namespace halftone {

// Times both in turns (MeasurePairedRounds()).
Latency TimeBindings(OrtBinding& candidate, OrtBinding& float32, const PairedRoundsOptions& rounds);

}  // namespace halftone
