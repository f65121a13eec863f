// Sentence on a choice that a cost model made, in place of a clock.
#pragma once

#include <string>

namespace halftone {

struct TuneSummary;

// " Chosen by accuracy and the cost model of ONNX Runtime on a CPU with AVX2 (87 % of the
// multiply-adds in 8 bits, predicted 1.31x); nothing was timed." Empty if RunFacts::cost_model is
// empty. Requires a chosen point.
std::string CostModelSentence(const TuneSummary& summary);

}  // namespace halftone
