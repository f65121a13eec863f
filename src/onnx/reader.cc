#include "src/onnx/reader.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <mutex>

#include "src/base/error.h"
#include "src/onnx/importer.h"
#include "src/onnx/model_file.h"

namespace halftone {
namespace {

// "pytorch 1.13"
std::string ProducerOf(const onnx::ModelProto& model) {
  return model.producer_version().empty() ? model.producer_name()
                                          : model.producer_name() + " " + model.producer_version();
}

// Initializers that are tensors now are not needed a second time.
void DropData(const InitializerTensors& read, onnx::GraphProto& graph) {
  for (onnx::TensorProto& initializer : *graph.mutable_initializer()) {
    if (read.contains(&initializer)) {
      initializer.clear_raw_data();
      initializer.clear_float_data();
      initializer.clear_double_data();
      initializer.clear_int32_data();
      initializer.clear_int64_data();
      initializer.clear_uint64_data();
    }
  }
}

template <typename Body>
auto Reading(const std::filesystem::path& file, const Body& body) {
  return WithContext([&] { return fmt::format("reading '{}'", file.string()); }, body);
}

}  // namespace

struct OnnxFile::State {
  std::filesystem::path file;
  std::shared_ptr<onnx::ModelProto> model;
  InitializerTensors initializers;
  std::mutex mutex;
};

OnnxFile::OnnxFile(const std::filesystem::path& model) : state_(std::make_unique<State>()) {
  state_->file = ModelFile(model);
  state_->model = Reading(state_->file, [&] { return LoadModel(state_->file); });
}

OnnxFile::~OnnxFile() = default;

ImportResult OnnxFile::Import(const ImportOptions& options) {
  const std::lock_guard lock(state_->mutex);
  return Reading(state_->file, [&] {
    ImportResult result =
        ImportGraph(*state_->model, state_->file.parent_path(), options, &state_->initializers);
    DropData(state_->initializers, *state_->model->mutable_graph());
    result.producer = ProducerOf(*state_->model);
    return result;
  });
}

std::vector<ModelInput> OnnxFile::Inputs() const {
  return ModelInputsOf(state_->model->graph());
}

ImportResult ImportOnnx(const std::filesystem::path& model, const ImportOptions& options) {
  const std::filesystem::path file = ModelFile(model);
  return Reading(file, [&] {
    const auto proto = LoadModel(file);
    ImportResult result = ImportGraph(*proto, file.parent_path(), options);
    result.producer = ProducerOf(*proto);
    return result;
  });
}

Graph ReadOnnx(const std::filesystem::path& model, const ImportOptions& options) {
  return ImportOnnx(model, options).graph;
}

}  // namespace halftone
