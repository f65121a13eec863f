// Sensitivity of a network to each decision: the error that it makes at the outputs, and its time.
// Powers of small errors add up, so a sum predicts the error of a plan.
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
  std::string refusal;  // reason why the choice is impossible, a clause; empty: it is possible
  double local_error =
      0;  // error of the group's results, its operands rounded as it reads them; mean over samples
  // Errors of the network's outputs, per probed sample.
  std::vector<double> errors;
  double time = 0;          // of the group and of operators that only move its results
  bool probed = false;      // true: `errors` are measured; false: local errors times gains
  bool not_finite = false;  // refused because a result is infinite or NaN where float32 is finite
  // Largest share of the elements of an integer or boolean result that differ; mean over samples.
  double changed = 0;

  friend bool operator==(const ChoiceSensitivity&, const ChoiceSensitivity&) = default;
};

// Effect of rounding a group's tensors to a format; relative error powers, means over the samples.
struct RoundingFacts {
  double operands = 0;  // error of its rounded operands
  double carried = 0;   // error of the float32 results on rounded operands
  double results = 0;   // error of its rounded results
  double tiny_share =
      0;  // share of `operands` and `results` from values below the smallest normal number
  double clipped_share = 0;  // share from values beyond the range of a scaled format

  friend bool operator==(const RoundingFacts&, const RoundingFacts&) = default;
};

// Sensitivity of a group to one format, for all choices with it.
struct FormatSensitivity {
  // Errors at the network's outputs per probed sample when all operands of the group are rounded
  // from float32 to the format, as if their producers computed in float32.
  std::vector<double> errors;
  RoundingFacts rounding;

  friend bool operator==(const FormatSensitivity&, const FormatSensitivity&) = default;
};

struct GroupSensitivity {
  std::vector<ChoiceSensitivity> choices;              // parallel to DecisionGroup::choices
  std::map<NumericFormat, FormatSensitivity> formats;  // of the searched formats except float32
  double largest_value = 0;                            // largest magnitude of its float32 results
  std::size_t largest_sample = 0;                      // its sample's number in the whole set
  std::int64_t longest_sum = 1;                        // terms
  // Output error power divided by the error power of the group's results, mean over samples.
  double gain = 0;

  // Sensitivity to a format; zeros if it was not probed, for example because the search was
  // stopped.
  [[nodiscard]] const FormatSensitivity& Of(NumericFormat format) const {
    static const FormatSensitivity kNotProbed;
    const auto found = formats.find(format);
    return found != formats.end() ? found->second : kNotProbed;
  }

  friend bool operator==(const GroupSensitivity&, const GroupSensitivity&) = default;
};

struct Sensitivity {
  std::vector<GroupSensitivity> groups;  // parallel to Decisions::groups()
  // Per probed sample: the mean loss over all samples is about the sum of weight * loss.
  std::vector<double> weights;
  double other_time = 0;  // time of operators outside all groups
  double cast_time = 0;   // fixed time of one cast
  double cast_time_per_element = 0;
  // Cost of the probes: 1 is the least number of network runs that measure a plan, one on every
  // search sample and 18 in the rounds (search/measure/paired_rounds.h).
  double evaluations = 0;
  bool complete = true;  // false: the probes were stopped

  friend bool operator==(const Sensitivity&, const Sensitivity&) = default;
};

}  // namespace halftone
