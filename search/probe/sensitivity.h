// What one network feels of each decision: the error that it makes at the outputs, and the time
// that it takes. Errors of small perturbations add up in power, so a plan's is predicted by a sum.
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
  std::string refusal;     // why the choice cannot be made, a clause; empty: it can be made
  double local_error = 0;  // of what the group makes, operands as it reads them; mean over samples
  // Of the network's outputs, by probed sample.
  std::vector<double> errors;
  double time = 0;          // of the group and of what only moves its results
  bool probed = false;      // `errors` are measured, not local errors times gains
  bool not_finite = false;  // refused for a result that is infinite or NaN where float32 is finite

  friend bool operator==(const ChoiceSensitivity&, const ChoiceSensitivity&) = default;
};

// Effect of rounding a group's tensors to a format; relative error powers, means over the samples.
struct RoundingFacts {
  double operands = 0;    // of its operands, rounded
  double carried = 0;     // of what float32 makes of these
  double results = 0;     // of its results, rounded
  double tiny_share = 0;  // of the first and the third, by values below the smallest normal number

  friend bool operator==(const RoundingFacts&, const RoundingFacts&) = default;
};

// What a group feels of one format, whichever of its choices has it.
struct FormatSensitivity {
  // At the network's outputs by probed sample, when all operands of the group are rounded from
  // float32 to the format, which happens where another group did not make them in it.
  std::vector<double> errors;
  RoundingFacts rounding;

  friend bool operator==(const FormatSensitivity&, const FormatSensitivity&) = default;
};

struct GroupSensitivity {
  std::vector<ChoiceSensitivity> choices;              // parallel to DecisionGroup::choices
  std::map<NumericFormat, FormatSensitivity> formats;  // of those that are searched, but float32
  double largest_value = 0;                            // magnitude of what it makes in float32
  std::size_t largest_sample = 0;                      // where that is, of the whole set
  std::int64_t longest_sum = 1;                        // terms
  // Error power at the outputs over that of what the group makes, mean over samples.
  double gain = 0;

  friend bool operator==(const GroupSensitivity&, const GroupSensitivity&) = default;
};

struct Sensitivity {
  std::vector<GroupSensitivity> groups;  // parallel to Decisions::groups()
  // By probed sample: the mean loss over all samples is about the sum of weight * loss.
  std::vector<double> weights;
  double other_time = 0;  // of operators outside all groups
  double cast_time = 0;   // of one cast, and of each of its elements
  double cast_time_per_element = 0;
  // What the probes cost: 1 is as often as measuring a plan runs the network at least, once on
  // every sample of the search and 18 times in the rounds (search/measure/paired_rounds.h).
  double evaluations = 0;
  bool complete = true;  // false: the probes were stopped

  friend bool operator==(const Sensitivity&, const Sensitivity&) = default;
};

}  // namespace halftone
