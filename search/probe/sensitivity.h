// Sensitivity of a network to each decision: the error at the outputs that the decision causes, and
// its time. Powers of small errors add up, so a sum predicts the error of a plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/ir/numeric_format.h"

namespace halftone {

// Errors here are powers: squares of relative L2 errors. Times are shares of one run in float32.
struct ChoiceSensitivity {
  // Reason why the choice is not searched, a clause: it is impossible, or left_out. Empty: it is
  // searched.
  std::string refusal;
  // Error of the group's results, mean over samples. The reference is float32 on operands that are
  // rounded to the format of the choice; for a group with integer or boolean results, it is float32
  // on exact operands.
  double local_error = 0;
  // Errors at the network's outputs, per probed sample, without those of rounded operands
  // (FormatSensitivity::errors).
  std::vector<double> errors;
  double time = 0;  // of the group and of operators that only move its results
  // True: this choice was carried to the outputs, or to a cut (search/probe/error_cuts.h). False:
  // `errors` are local errors times the gain of another choice.
  bool probed = false;
  // True: possible, but not probed: time is short, and float32 or another implementation is faster.
  bool left_out = false;
  bool not_finite = false;  // refused because a result is infinite or NaN where float32 is finite
  // Largest share of elements that differ in an integer or boolean result; mean over samples.
  double changed = 0;

  friend bool operator==(const ChoiceSensitivity&, const ChoiceSensitivity&) = default;
};

// Effect of rounding a group's tensors to a format. Errors are relative error powers; all members
// are means over the samples.
struct RoundingFacts {
  double operands = 0;  // error of its rounded operands
  double carried = 0;   // error of the float32 results on rounded operands
  double results = 0;   // error of its rounded results
  // Share of `operands` + `results` that comes from values below the smallest normal number.
  double tiny_share = 0;
  // Share of `operands` + `results` that comes from values beyond the range of a scaled format.
  double clipped_share = 0;

  friend bool operator==(const RoundingFacts&, const RoundingFacts&) = default;
};

// Sensitivity of a group to one format, for all choices with it.
struct FormatSensitivity {
  // Errors at the network's outputs, per probed sample, when all operands of the group are rounded
  // from float32 to the format. All 0 for a dynamic format, whose choices include this rounding.
  std::vector<double> errors;
  RoundingFacts rounding;

  friend bool operator==(const FormatSensitivity&, const FormatSensitivity&) = default;
};

struct GroupSensitivity {
  std::vector<ChoiceSensitivity> choices;              // parallel to DecisionGroup::choices
  std::map<NumericFormat, FormatSensitivity> formats;  // of the searched formats except float32
  double largest_value = 0;                            // largest magnitude of its float32 results
  std::size_t largest_sample = 0;  // number, in the whole dataset, of the sample with that value
  std::int64_t longest_sum = 1;    // number of terms of its longest sum
  // Error power at the outputs over the error power of the group's results; both are sums over the
  // samples.
  double gain = 0;

  // Sensitivity to a format; without errors if the format was not probed, for example because the
  // search was stopped.
  [[nodiscard]] const FormatSensitivity& Of(NumericFormat format) const {
    static const FormatSensitivity kNotProbed;
    const auto found = formats.find(format);
    return found != formats.end() ? found->second : kNotProbed;
  }

  friend bool operator==(const GroupSensitivity&, const GroupSensitivity&) = default;
};

struct Sensitivity {
  std::vector<GroupSensitivity> groups;  // parallel to Decisions::groups()
  // Per probed sample: its weight in the sum of weight * loss, which estimates the mean loss over
  // all samples.
  std::vector<double> weights;
  double other_time = 0;  // time of operators outside all groups
  double cast_time = 0;   // fixed time of one cast
  double cast_time_per_element = 0;
  // Cost of the probes, in evaluations. One evaluation is the least number of network runs that
  // measure a plan: one run on every search sample and 18 runs in the rounds
  // (search/measure/paired_rounds.h).
  double evaluations = 0;
  bool complete = true;  // false: the probes were stopped
  // False: time was short. Choices are left out, or errors were carried to cuts
  // (search/probe/error_cuts.h).
  bool in_full = true;

  friend bool operator==(const Sensitivity&, const Sensitivity&) = default;
};

}  // namespace halftone
