#include "src/onnx/reader.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "src/base/error.h"
#include "src/onnx/importer.h"
#include "src/onnx/model_file.h"

namespace halftone {

ImportResult ImportOnnx(const std::filesystem::path& model, const ImportOptions& options) {
  const std::filesystem::path file = ModelFile(model);
  return WithContext([&] { return fmt::format("reading '{}'", file.string()); },
                     [&] {
                       const auto proto = LoadModel(file);
                       ImportResult result = ImportGraph(*proto, file.parent_path(), options);
                       result.producer = proto->producer_name();
                       if (!proto->producer_version().empty()) {
                         result.producer += " " + proto->producer_version();
                       }
                       return result;
                     });
}

Graph ReadOnnx(const std::filesystem::path& model, const ImportOptions& options) {
  return ImportOnnx(model, options).graph;
}

}  // namespace halftone
