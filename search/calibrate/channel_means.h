// Mean differences of the channels of a result, and how much of them is a shift.
#pragma once

#include <vector>

#include "src/ir/tensor.h"

namespace halftone {

// Parts of the positions of a channel on one sample that count as observations of their own.
inline constexpr std::int64_t kPartsOfSample = 4;
// With fewer observations of a channel no shift is told from chance.
inline constexpr std::size_t kFewestObservations = 4;

// Per observation and channel: the mean of the finite values. Channels lie along `axis`; the
// positions of a channel, in their order, are cut into kPartsOfSample equal runs where there are so
// many, else into one.
std::vector<std::vector<double>> ChannelMeans(const Tensor& tensor, int axis);

// A shift from observations of it with as many different errors: their mean times
// max(0, 1 - (n - 1) / (n - 3) e^2 / mean^2), e its standard error: what differs from observation
// to observation is not taken for a shift (the estimator of James and Stein, 1961, for one number).
// 0 of fewer than kFewestObservations.
double ShiftOf(const std::vector<double>& observations);

}  // namespace halftone
