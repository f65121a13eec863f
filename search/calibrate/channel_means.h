// Means of the channels of a result, and the share of a mean difference that is a systematic shift.
#pragma once

#include <vector>

#include "src/ir/tensor.h"

namespace halftone {

// Number of observations of a channel that one sample gives: its positions are cut into so many
// runs.
inline constexpr std::int64_t kPartsOfSample = 4;
// Fewest observations of a channel from which a shift can be told from chance.
inline constexpr std::size_t kFewestObservations = 4;

// Means of the finite values, one vector of channels per observation. Channels lie along `axis`.
// The positions of a channel are cut in order into kPartsOfSample equal runs, one per observation;
// with fewer positions they are a single run.
std::vector<std::vector<double>> ChannelMeans(const Tensor& tensor, int axis);

// Estimates a shift from n noisy observations: their mean times max(0, 1 - (n - 1) / (n - 3) e^2 /
// mean^2), where e is the standard error of the mean. The factor shrinks a mean that the scatter of
// the observations explains (the estimator of James and Stein, 1961, for one number). Returns 0 for
// fewer than kFewestObservations.
double ShiftOf(const std::vector<double>& observations);

}  // namespace halftone
