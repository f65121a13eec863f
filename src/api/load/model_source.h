// Source of several graphs of one model: the file is read once and constants are stored once.
#pragma once

#include <filesystem>
#include <memory>

#include "src/api/halftone.h"
#include "src/ir/constant_pool.h"
#include "src/onnx/reader.h"

namespace halftone {

struct ModelSource {
  explicit ModelSource(const std::filesystem::path& path) : file(path) {}

  OnnxFile file;
  ConstantPool constants;
};

// LoadModel() with a source that was read before; null: reads the file and keeps no source. Shapes
// and branches that depend on data are those of `sample`; null: of the first sample of
// options.inputs.
Model LoadModel(const ModelOptions& options, std::shared_ptr<ModelSource> source,
                const Sample* sample = nullptr);

}  // namespace halftone
