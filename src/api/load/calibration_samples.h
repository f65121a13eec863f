// Samples that a calibration runs on.
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

// At most kMostCalibrationSamples (src/api/quantize_options.h) of the samples, evenly spaced.
Dataset CalibrationPart(const Dataset& all);

// `count` of the samples, evenly spaced; at most all.
Dataset EvenlySpaced(const Dataset& all, std::size_t count);

// Samples of a network at one input shape or several.
struct CalibrationSamples {
  struct AtShape {
    std::shared_ptr<const Model> model;
    Dataset samples;  // one at least
  };

  std::vector<AtShape> shapes;     // one at least
  std::vector<std::string> notes;  // on the samples, a sentence each

  [[nodiscard]] const Graph& graph() const { return shapes.front().model->graph; }

  [[nodiscard]] const Dataset& samples() const { return shapes.front().samples; }

  // Samples of the input shape of `model`; none: no samples have it.
  [[nodiscard]] Dataset SamplesOf(const Model& model) const;

  // Dataset::Hash() for one shape; for several a hash of all samples and shapes.
  [[nodiscard]] Hash128 Hash() const;
};

// Parts of the samples of a search: of all shapes together about kMostCalibrationSamples. Refers to
// the models.
CalibrationSamples CalibrationPart(std::span<const Model* const> profiles,
                                   std::span<const Dataset* const> datasets);

// CalibrationPart() of the samples that `data` names, at the input shapes that they have: those of
// `profiles` (the network as it is searched), and others where the file leaves dimensions free.
// Where one --input_shape was given, at that one alone. Errors as LoadSamples(), ShapesOfSamples().
CalibrationSamples LoadCalibrationSamples(std::span<const Model* const> profiles,
                                          const DatasetOptions& data);

}  // namespace halftone
