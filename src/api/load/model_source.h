// The file behind several graphs of one model: read once, constants held once.
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

// LoadModel() from a file in memory; null: reads the file and does not store it. Shapes and
// branches that depend on data are those of `sample`; null: the first of options.inputs.
Model LoadModel(const ModelOptions& options, std::shared_ptr<ModelSource> source,
                const Sample* sample = nullptr);

}  // namespace halftone
