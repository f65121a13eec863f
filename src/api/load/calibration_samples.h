// Samples for calibration.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/accuracy/dataset.h"
#include "src/api/halftone.h"
#include "src/base/hash.h"

namespace halftone {

// Returns at most kMostCalibrationSamples of the samples, evenly spaced.
Dataset CalibrationPart(const Dataset& all);

// Returns `count` of the samples, evenly spaced. Requires count <= all.size().
Dataset EvenlySpaced(const Dataset& all, std::size_t count);

// Samples of a network at one or several input shapes.
struct CalibrationSamples {
  struct AtShape {
    std::shared_ptr<const Model> model;
    Dataset samples;  // at least one
  };

  std::vector<AtShape> shapes;     // at least one
  std::vector<std::string> notes;  // one sentence each, about the samples

  [[nodiscard]] const Graph& graph() const { return shapes.front().model->graph; }

  [[nodiscard]] const Dataset& samples() const { return shapes.front().samples; }

  // Samples of the input shape of `model`; an empty dataset if there are none.
  [[nodiscard]] Dataset SamplesOf(const Model& model) const;

  // Dataset::Hash() for one shape; for several, a hash of all samples and shapes.
  [[nodiscard]] Hash128 Hash() const;
};

// Selects about kMostCalibrationSamples from the samples of all shapes together, evenly spaced at
// each shape. `datasets` is parallel to `profiles`. The models must outlive the result.
CalibrationSamples CalibrationPart(std::span<const Model* const> profiles,
                                   std::span<const Dataset* const> datasets);

// Loads the samples that `data` names and selects a part as CalibrationPart() does. `profiles`: the
// network at the input shapes of the search; must outlive the result. If the file of the network
// has free dimensions and not just one --input_shape was given, the samples may have other input
// shapes than the search, and the network is read at these too. Errors as LoadSamples() and
// ShapesOfSamples().
CalibrationSamples LoadCalibrationSamples(std::span<const Model* const> profiles,
                                          const DatasetOptions& data);

}  // namespace halftone
