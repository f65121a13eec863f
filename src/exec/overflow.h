// Overflow census: values that became infinite or NaN in checked runs (src/exec/checked_run.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/ir/dtype.h"

namespace halftone {

// Overflow of one result of one node, over all samples of the run.
struct OverflowFinding {
  // Name of the node; "cast v to float16" for a cast between nodes; "input v" for an input whose
  // samples are beyond the range of its type.
  std::string node;
  std::string op;  // operator type of the node
  int output = 0;  // index of the node's result
  DType dtype = DType::kFloat16;
  bool saturated = false;       // the target made the values finite again
  bool in_float32_too = false;  // float32 is not finite there either; only with `saturated`
  std::int64_t infinities = 0;  // elements over all samples
  std::int64_t nans = 0;
  std::int64_t samples = 0;  // number of samples with such elements
  // First such element: number of the sample (from 0) and its name, index of the element, and its
  // value: "Inf", "-Inf" or "NaN".
  std::int64_t first_sample = 0;
  std::string first_sample_name;
  std::vector<std::int64_t> first_element;
  std::string first_value;

  friend bool operator==(const OverflowFinding&, const OverflowFinding&) = default;
};

struct OverflowCensus {
  std::int64_t samples = 0;  // number of samples run
  // Sticky status of a target: some 16-bit result was infinite or NaN, whether float32 is or not.
  bool status = false;
  std::vector<OverflowFinding> findings;  // in the order of execution

  // The first finding that is not saturated; null if there is none.
  [[nodiscard]] const OverflowFinding* FirstNonFinite() const;

  friend bool operator==(const OverflowCensus&, const OverflowCensus&) = default;
};

// One sentence: "overflow: node 'conv3' (Conv): 12 float16 values in 2 of 5 samples became Inf;
// first: Inf in sample 1 ('set[1]'), element [0,3,2,7]". `samples`: number of samples run.
std::string Describe(const OverflowFinding& finding, std::int64_t samples);

inline constexpr std::size_t kFirstFindings = 5;  // shown unless all are requested
inline constexpr std::size_t kAllFindings = 0;

// A sentence for each of the first `most` findings, and one with the number of the others. With
// kAllFindings: a sentence for every finding.
std::vector<std::string> Describe(const OverflowCensus& census, std::size_t most);

}  // namespace halftone
