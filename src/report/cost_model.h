// A choice by a cost model in place of a clock, in words.
#pragma once

#include <string>

namespace halftone {

struct TuneSummary;

// " Chosen by accuracy and the cost model of ONNX Runtime on a CPU with AVX2 (87 % of the
// multiply-adds in 8 bits, predicted 1.31x); nothing was timed."; empty where latencies are
// measured or nothing was to be in 8 bits. Only where a point is chosen.
std::string CostModelSentence(const TuneSummary& summary);

}  // namespace halftone
