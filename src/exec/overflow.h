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
  // Name of a node; "cast v to float16" between nodes; "input v" for samples beyond their type.
  std::string node;
  std::string op;  // its ONNX type
  int output = 0;  // index of the node's result
  DType dtype = DType::kFloat16;
  bool saturated = false;       // the target made the values finite again
  bool in_float32_too = false;  // float32 is not finite there; of saturated ones only
  std::int64_t infinities = 0;  // elements, over all samples
  std::int64_t nans = 0;
  std::int64_t samples = 0;  // number of samples with such elements
  // First such element: sample by position and name, index of the element, "Inf", "-Inf" or "NaN".
  std::int64_t first_sample = 0;
  std::string first_sample_name;
  std::vector<std::int64_t> first_element;
  std::string first_value;

  friend bool operator==(const OverflowFinding&, const OverflowFinding&) = default;
};

struct OverflowCensus {
  std::int64_t samples = 0;  // that were run
  // Sticky status of a target: some 16-bit result was infinite or NaN, expected or not.
  bool status = false;
  std::vector<OverflowFinding> findings;  // in the order of execution

  // The first finding that no target repaired; null: there is none.
  [[nodiscard]] const OverflowFinding* FirstNonFinite() const;

  friend bool operator==(const OverflowCensus&, const OverflowCensus&) = default;
};

// One sentence: "overflow: node 'conv3' (Conv): 12 float16 values in 2 of 5 samples became Inf;
// first: sample 1 ('set[1]'), element [0,3,2,7]".
std::string Describe(const OverflowFinding& finding, std::int64_t samples);

inline constexpr std::size_t kFirstFindings = 5;  // shown without a request for all
inline constexpr std::size_t kAllFindings = 0;

// A sentence per finding: the first `most` of them and the number of the others, or all.
std::vector<std::string> Describe(const OverflowCensus& census, std::size_t most);

}  // namespace halftone
