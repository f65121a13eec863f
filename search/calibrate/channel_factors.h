// Choice of channel factors by measurement. It covers both cross-layer equalisation of the channels
// of feature maps and SmoothQuant of the operands of matrix products.
//
// The candidates for the factors of a class of values (factor_classes.h) are no factors, and for
// each alpha of kFactorAlphas
//   f_c = X_c^alpha / W_c^(1 - alpha)
// X_c is the largest magnitude of channel c on the samples. W_c is the largest magnitude of the
// weights that read channel c, with the BatchNormalization behind them folded in (Xiao et al.,
// SmoothQuant, 2022). alpha 0.5 is the equalisation of Nagel et al., 2019; alpha 1 is exact for
// depthwise weights, whose own scales take up any factor. A channel that is 0 on all samples has
// the factor 1. SiLU, HardSwish and other functions that are computed by a table do not pass
// factors on. With one table for each channel, such a function reads integers with one set of
// factors and makes integers with another: its result, in front of depthwise convolutions, has the
// factors of the class, and its operand has factors from its own range.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "search/calibrate/factor_classes.h"
#include "search/calibrate/float_values.h"
#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

inline constexpr double kFactorAlphas[] = {0.25, 0.5, 0.75, 0.95, 1};
// Largest ratio of two factors of a value. With a ratio r, weights of the channel with the least
// factor have up to log2(r) fewer significant bits than the largest weight.
inline constexpr double kMostFactorRatio = 256;
// Factors are used if the error at the readers' results is at most this share of the error without
// factors.
inline constexpr double kFactorErrorShare = 0.8;
// Counterpart of kFactorErrorShare for classes behind a function by a table. It is lower, because
// one table for each channel takes more time than one table for all.
inline constexpr double kTableErrorShare = 0.5;

// Factors f_c of one class; `magnitudes` and `weights` are X_c and W_c. The factors are scaled to a
// geometric mean of 1 over the channels that are not 0, then limited twice. No factor is less than
// the largest one over kMostFactorRatio. With T the largest X_c / f_c, no f_c T exceeds `bound`, so
// that the greatest integer stands for a number within the bound in every channel.
std::vector<float> FactorsOfClass(const std::vector<double>& magnitudes,
                                  const std::vector<double>& weights, double alpha, double bound);

struct ChosenFactors {
  std::map<ValueId, ChannelFactors> factors;  // of every member of each class with factors
  // Bound on the magnitude of a value after division by its factors; a value without a bound has no
  // entry.
  std::map<ValueId, double> most;
};

// Number of network runs of ChooseChannelFactors().
inline std::size_t RunsOfFactors(std::size_t samples) {
  return samples < 2 ? 0 : samples + samples / 2;
}

// Cost of one of these runs in float32 runs: (1 + (1 + 12) / 2) / 1.5. Half of the samples run
// again, with each product in 12 candidates: no factors or one of five alphas, with two ranges
// each.
inline constexpr double kFactorCost = 5;

// Chooses the factors of each class. Every second sample gives candidate factors and ranges, and
// the other samples judge them, so that no factors are fitted to a few outlying samples. The final
// factors use the winning alpha and all samples. With fewer than two samples there are no factors.
// The network runs once on each sample, and a second time on each judging sample. On a judging
// sample, the products behind the classes run for each candidate, in 8 bits with float32 results:
// once with the range from least to greatest value, and once with 0.7 of this range.
// runs.on_sample is called after each of the RunsOfFactors() runs. runs.goes_on is called before
// each candidate is compiled and before the products of each class run. If either returns false, no
// time is left, and the result has no factors.
ChosenFactors ChooseChannelFactors(const Graph& graph, bool per_channel_weights,
                                   const SampleRuns& runs);

}  // namespace halftone
