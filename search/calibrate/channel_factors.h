// Choice of channel factors: cross-layer equalisation of the channels of feature maps, and
// SmoothQuant of the operands of matrix products, as one measured choice.
//
// A class of values (factor_classes.h) has the candidates
//   f_c = X_c^alpha / W_c^(1 - alpha)
// with X_c the largest magnitude of channel c on the samples, W_c that of the weights that read it,
// with the BatchNormalization behind them folded in (Xiao et al., SmoothQuant, 2022; alpha 0.5 is
// the equalisation of Nagel et al., 2019, and alpha 1 is exact for depthwise weights, whose own
// scales take up any factor), and no factors. Channels that are 0 on all samples have the factor 1.
// SiLU, HardSwish and other functions by a table do not pass factors on, but with a table for each
// channel they read and make integers with factors of their own: the result in front of depthwise
// convolutions has factors by the class, and the operand those of its range.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "kernels/parallel.h"
#include "search/calibrate/factor_classes.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"
#include "src/quantization/quantization.h"

namespace halftone {

inline constexpr double kFactorAlphas[] = {0.25, 0.5, 0.75, 0.95, 1};
// The largest factor of a value is at most so many times the least: weights of the channels with
// the least factor keep at least 8 - log2(this) bits of the largest weight's.
inline constexpr double kMostFactorRatio = 256;
// Factors are kept where the error at the readers' results is at most this share of that without.
inline constexpr double kFactorErrorShare = 0.8;
// Likewise behind a function by a table: a table for each channel takes more time than one.
inline constexpr double kTableErrorShare = 0.5;

// The factors of one class. Geometric mean 1 over the channels that are not 0, cut to
// kMostFactorRatio below the largest. With T the largest X_c / f_c, no f_c T exceeds `bound`, so
// that the end of the integers is within the bound in every channel. `magnitudes` and `weights`:
// X_c and W_c.
std::vector<float> FactorsOfClass(const std::vector<double>& magnitudes,
                                  const std::vector<double>& weights, double alpha, double bound);

struct ChosenFactors {
  std::map<ValueId, ChannelFactors> factors;  // of every member of the classes that have any
  // Upper bound of the high end of each range, divided by the factors; by value.
  std::map<ValueId, double> most;
};

// Candidates with factors and ranges of every second sample are tried on the others, so that
// channels whose largest values differ from sample to sample do not get factors that fit a few; the
// factors of the alpha that wins are of all samples. Fewer than two samples: no factors. The
// network is run once on each sample and again on the tried ones, and on these the products behind
// classes for each candidate: in 8 bits with float32 results, ranges from least to greatest value
// or 0.7 of it. `on_sample` is called after each of the RunsOfFactors(samples) runs; false: no time
// is left for another, and there are no factors. `goes_on` is asked before each candidate is
// compiled and before the products of each class are run; false: likewise. Empty: there is time.
inline std::size_t RunsOfFactors(std::size_t samples) {
  return samples < 2 ? 0 : samples + samples / 2;
}

// Cost of such a run in float32 runs: on every second sample, the six alphas and two ranges of each
// product: (1 + (1 + 12) / 2) / 1.5.
inline constexpr double kFactorCost = 5;

ChosenFactors ChooseChannelFactors(const Graph& graph, const Dataset& samples,
                                   bool per_channel_weights, const CompileOptions& compile,
                                   const ThreadPool& pool, const std::function<bool()>& on_sample,
                                   const std::function<bool()>& goes_on = {});

}  // namespace halftone
