// Counts of the elements of one output that the error metrics compare, judge apart or leave out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

struct OutputCounts {
  std::string name;  // name of the output; set by NameOutputs()
  std::string node;  // name of its producer, set by NameOutputs(); empty: an input or a constant
  std::int64_t elements = 0;         // all elements
  std::int64_t compared = 0;         // finite in float32 and in the configuration
  std::int64_t apart = 0;            // compared, and set apart (src/accuracy/set_apart.h)
  std::int64_t apart_changed = 0;    // set apart, with another value, not saturated
  std::int64_t apart_saturated = 0;  // set apart, saturated (IsLargestOfADtype())
  std::int64_t saturated = 0;        // infinite in float32, saturated in the configuration
  std::int64_t samples = 0;          // number of samples
  double apart_value = 0;            // element set apart with the largest magnitude, in float32

  // Adds the counts of other samples.
  void Add(const OutputCounts& other);

  friend bool operator==(const OutputCounts&, const OutputCounts&) = default;
};

// Sets `name` and `node` of each output.
void NameOutputs(const Graph& graph, std::span<OutputCounts> outputs);

// Sentences about each output that has no compared elements, elements set apart, or saturated
// elements.
std::vector<std::string> JudgingNotes(std::span<const OutputCounts> outputs);

}  // namespace halftone
