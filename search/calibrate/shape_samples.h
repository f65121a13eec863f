// Samples of a network at several input shapes, as a calibration runs them.
#pragma once

#include <cstddef>
#include <vector>

#include "src/accuracy/dataset.h"
#include "src/ir/graph.h"

namespace halftone {

// The network at another input shape, with samples of that shape.
struct CalibrationShape {
  const Graph* graph = nullptr;
  Dataset samples;
};

struct CalibratedShape {
  const Graph* graph = nullptr;
  Dataset samples;
  // For each value of the graph: the value with the same name in the first shape's graph; kNoValue
  // if there is none.
  std::vector<ValueId> of_first;
};

// The first shape, then the others. The graphs must outlive the result.
std::vector<CalibratedShape> ShapesOf(const Graph& graph, const Dataset& samples,
                                      const std::vector<CalibrationShape>& others);

struct SampleAt {
  std::size_t shape = 0;
  std::size_t index = 0;  // among the samples of the shape
};

// All samples, those of the first shape first.
std::vector<SampleAt> SamplesOf(const std::vector<CalibratedShape>& shapes);

// `count` evenly spaced members of `all`, from the first on; `all` must have at least `count`
// members.
std::vector<SampleAt> EvenlySpacedOf(const std::vector<SampleAt>& all, std::size_t count);

}  // namespace halftone
