#include "src/api/load/calibration_samples.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "src/accuracy/sample_count.h"
#include "src/api/load/traced_samples.h"
#include "src/api/quantize_options.h"
#include "src/api/shape_profiles.h"

namespace halftone {
namespace {

using ModelPointer = std::shared_ptr<const Model>;

// A model that somebody else owns.
ModelPointer Borrowed(const Model& model) {
  return {ModelPointer(), &model};
}

bool LeavesDimensionsFree(const Model& model) {
  return std::ranges::any_of(model.declared, [](const auto& input) {
    return std::ranges::any_of(input.second, [](std::int64_t extent) { return extent < 0; });
  });
}

// The options of the network for these samples and their shapes.
ModelOptions OptionsFor(const Model& model, const DatasetOptions& data) {
  ModelOptions options = model.options;
  options.input_shape.clear();
  options.inputs = data.inputs;
  options.image = data.image;
  options.state = data.state;
  options.arrays = data.arrays;
  return options;
}

// Whether the samples say the shapes of the network.
bool MayTakeShapes(std::span<const Model* const> profiles, const DatasetOptions& data) {
  const Model& first = *profiles.front();
  const bool is_given = profiles.size() == 1 && !first.options.input_shape.empty();
  return !is_given && data.has_inputs() && LeavesDimensionsFree(first);
}

// The network at the input shapes of the samples, the first one of a search in front.
std::vector<ModelPointer> ModelsAt(std::span<const Model* const> profiles,
                                   const DatasetOptions& data) {
  const Model& first = *profiles.front();
  std::vector<std::string> shapes;
  if (MayTakeShapes(profiles, data)) {
    shapes = ShapesOfSamples(OptionsFor(first, data), data);
  }
  if (shapes.size() < 2) {
    return {Borrowed(first)};
  }
  std::vector<ModelPointer> models;
  for (const std::string& shape : shapes) {
    const auto known = std::ranges::find_if(
        profiles, [&](const Model* profile) { return profile->input_shapes == shape; });
    models.push_back(known != profiles.end()
                         ? Borrowed(**known)
                         : std::make_shared<const Model>(WithInputShape(first, shape)));
  }
  std::stable_partition(models.begin(), models.end(), [&](const ModelPointer& model) {
    return model->input_shapes == first.input_shapes;
  });
  return models;
}

std::vector<Dataset> LoadAt(const std::vector<ModelPointer>& models, const DatasetOptions& data) {
  std::vector<Model> copies;  // their constants are shared
  copies.reserve(models.size());
  for (const ModelPointer& model : models) {
    copies.push_back(*model);
  }
  return LoadSamples(copies, data);
}

// Samples of a shape that has `own` of `all`.
std::size_t ShareOf(std::size_t own, std::size_t all) {
  return all <= kMostCalibrationSamples
             ? own
             : std::max<std::size_t>(own * kMostCalibrationSamples / all, 1);
}

CalibrationSamples PartOf(const std::vector<ModelPointer>& models,
                          std::span<const Dataset* const> datasets) {
  std::size_t all = 0;
  for (const Dataset* dataset : datasets) {
    all += dataset->size();
  }
  CalibrationSamples part;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (!datasets[i]->empty()) {
      part.shapes.push_back(
          {models[i], EvenlySpaced(*datasets[i], ShareOf(datasets[i]->size(), all))});
    }
  }
  return part;
}

}  // namespace

Dataset CalibrationPart(const Dataset& all) {
  return EvenlySpaced(all, std::min(all.size(), kMostCalibrationSamples));
}

Dataset EvenlySpaced(const Dataset& all, std::size_t count) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < count; ++i) {
    indices.push_back(i * all.size() / count);
  }
  return all.Part(indices);
}

Dataset CalibrationSamples::SamplesOf(const Model& model) const {
  const auto at = std::ranges::find_if(shapes, [&](const AtShape& shape) {
    return shape.model->input_shapes == model.input_shapes;
  });
  return at == shapes.end() ? Dataset() : at->samples;
}

Hash128 CalibrationSamples::Hash() const {
  if (shapes.size() == 1) {
    return samples().Hash();
  }
  Hasher hasher;
  for (const AtShape& shape : shapes) {
    hasher.Add(shape.model->input_shapes).Add(shape.samples.Hash());
  }
  return hasher.Finish();
}

CalibrationSamples CalibrationPart(std::span<const Model* const> profiles,
                                   std::span<const Dataset* const> datasets) {
  std::vector<ModelPointer> models;
  for (const Model* profile : profiles) {
    models.push_back(Borrowed(*profile));
  }
  return PartOf(models, datasets);
}

CalibrationSamples LoadCalibrationSamples(std::span<const Model* const> profiles,
                                          const DatasetOptions& data) {
  std::vector<ModelPointer> models = ModelsAt(profiles, data);
  std::vector<Dataset> datasets;
  try {
    datasets = LoadAt(models, data);
  } catch (const ShapeMismatch&) {
    if (models.size() > 1 || !MayTakeShapes(profiles, data)) {
      throw;
    }
    // All of them have one shape, which is another than that of the search.
    models = {std::make_shared<const Model>(LoadModel(OptionsFor(*profiles.front(), data)))};
    datasets = LoadAt(models, data);
  }
  std::vector<const Dataset*> loaded;
  loaded.reserve(datasets.size());
  for (const Dataset& dataset : datasets) {
    loaded.push_back(&dataset);
  }
  CalibrationSamples part = PartOf(models, loaded);
  for (const Dataset& dataset : datasets) {
    std::ranges::copy(dataset.notes, std::back_inserter(part.notes));
  }
  return part;
}

}  // namespace halftone
