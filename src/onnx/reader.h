// Reader of ONNX models. The resulting Graph has operators of the newest opset, concrete shapes and
// folded constants. docs/reference/models.md says what is rewritten and what is refused.
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
  // Shapes of graph inputs, with all extents; extents that the model fixes must agree. The extent
  // of a named dimension holds for all inputs that have a dimension of this name.
  InputShapes input_shapes;
  // Extent of each free dimension that input_shapes does not give.
  std::int64_t default_dim = 1;
  // Limit in bytes on all initializers together, and on each value; 0: none. Error kUnsupported,
  // before memory is allocated, for a model that needs more.
  std::int64_t max_bytes = 0;
  // Source of the sample that decides shapes, branches and numbers of iterations if they depend on
  // data. It is called at most once, when the sample is needed. Empty: Error kUnsupported for such
  // a model.
  SampleSource sample;
};

struct ImportResult {
  Graph graph;
  // Sentences for the user about free dimensions that took the default.
  std::vector<std::string> notes;
  // Values that were taken from the sample. The graph is right for samples that give the same
  // values.
  std::vector<TracedValue> traced;
  std::int64_t opset = 0;
  std::string producer;  // "pytorch 1.13"; may be empty
};

// A model that is imported more than once, for several input shapes or samples. The file is read
// once; all graphs share the tensors of its initializers, and this object holds them, too. Several
// threads may call Import() at once; the calls wait for each other.
class OnnxFile {
 public:
  // Parses the file. Errors as LoadModel() (src/onnx/model_file.h).
  explicit OnnxFile(const std::filesystem::path& model);
  ~OnnxFile();
  OnnxFile(const OnnxFile&) = delete;
  OnnxFile& operator=(const OnnxFile&) = delete;

  // Imports the model as ImportOnnx().
  [[nodiscard]] ImportResult Import(const ImportOptions& options);

  // Returns the inputs as ReadModelInputs().
  [[nodiscard]] std::vector<ModelInput> Inputs() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Reads `model`, an .onnx file or a folder with model.onnx. Errors: kIo, kModel and kUnsupported
// for the model; kUsage if input_shapes does not fit it.
ImportResult ImportOnnx(const std::filesystem::path& model, const ImportOptions& options = {});

// Returns the graph of ImportOnnx().
Graph ReadOnnx(const std::filesystem::path& model, const ImportOptions& options = {});

// Parses --input_shape: "name:1,3,224,224;b:1,10". The extents follow the last colon, because names
// may have colons. Error kUsage: another syntax.
InputShapes ParseInputShapes(std::string_view text);

}  // namespace halftone
