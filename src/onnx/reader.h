// Reader of ONNX models into a Graph: newest operator forms, concrete shapes, constants folded.
//
// Opsets 1 to 24 of the ai.onnx domain. docs/reference/models.md says what is rewritten and what is
// refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"
#include "src/onnx/model_inputs.h"
#include "src/onnx/tracer.h"

namespace halftone {

inline constexpr std::int64_t kOldestOpset = 1;
inline constexpr std::int64_t kNewestOpset = 24;

using InputShapes = std::map<std::string, std::vector<std::int64_t>>;

struct ImportOptions {
  // Shapes by graph input, with all extents; fixed ones must agree with the model. The extent of a
  // symbolic dimension holds for all inputs that name it.
  InputShapes input_shapes;
  // Extent of free dimensions without an entry in input_shapes.
  std::int64_t default_dim = 1;
  // Limit in bytes for the initializers together and for any value; 0: none. A model that needs
  // more is kUnsupported, before the memory is taken.
  std::int64_t max_bytes = 0;
  // Sample that decides shapes, branches and iteration counts where they depend on data; asked for
  // once, and only then. Empty: such a model is kUnsupported.
  SampleSource sample;
};

struct ImportResult {
  Graph graph;
  // One sentence each, for the user: which free dimensions took the default.
  std::vector<std::string> notes;
  // Values that the graph took from the sample: it serves samples for which these are the same.
  std::vector<TracedValue> traced;
  std::int64_t opset = 0;
  std::string producer;  // "pytorch 1.13"; may be empty
};

// Model that is imported more than once, for several input shapes or samples: the file is read
// once, and all graphs share the tensors of its initializers, which live as long as this object.
// Calls from several threads wait for each other.
class OnnxFile {
 public:
  // Error as ImportOnnx() for a file that cannot be read.
  explicit OnnxFile(const std::filesystem::path& model);
  ~OnnxFile();
  OnnxFile(const OnnxFile&) = delete;
  OnnxFile& operator=(const OnnxFile&) = delete;

  // ImportOnnx() of this file.
  [[nodiscard]] ImportResult Import(const ImportOptions& options);

  // ReadModelInputs() of this file.
  [[nodiscard]] std::vector<ModelInput> Inputs() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// `model` is an .onnx file or a folder that holds model.onnx. Error kIo, kModel, kUnsupported;
// kUsage when input_shapes does not fit the model.
ImportResult ImportOnnx(const std::filesystem::path& model, const ImportOptions& options = {});

// The graph of ImportOnnx.
Graph ReadOnnx(const std::filesystem::path& model, const ImportOptions& options = {});

// Parses the text of --input_shape, "name:1,3,224,224;b:1,10". A name may hold colons; the last one
// counts. Error kUsage.
InputShapes ParseInputShapes(std::string_view text);

}  // namespace halftone
