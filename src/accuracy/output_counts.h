// Counts of the elements of one output that the error metrics compared, judged apart or left out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

struct OutputCounts {
  std::string name;  // of the output; filled in by NameOutputs()
  std::string node;  // node that makes it; by NameOutputs(); empty for an input or a constant
  std::int64_t elements = 0;
  std::int64_t compared = 0;         // finite in float32, or apart
  std::int64_t apart = 0;            // far beyond the others (src/accuracy/set_apart.h)
  std::int64_t apart_changed = 0;    // of these, finite ones with another value
  std::int64_t apart_saturated = 0;  // of these, ends of a dtype (IsLargestOfADtype())
  std::int64_t saturated = 0;        // infinite in float32, such an end in the configuration
  std::int64_t samples = 0;          // that were judged
  double apart_value = 0;            // the one with the largest magnitude

  // Adds those of other samples.
  void Add(const OutputCounts& other);

  friend bool operator==(const OutputCounts&, const OutputCounts&) = default;
};

void NameOutputs(const Graph& graph, std::span<OutputCounts> outputs);

// A sentence for each output of which nothing could be compared or elements were judged apart, with
// the reason.
std::vector<std::string> JudgingNotes(std::span<const OutputCounts> outputs);

}  // namespace halftone
