#include "src/aoe/framework.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

struct FrameworkRow {
  std::string_view value;  // of --framework
  std::string_view name;
  std::string_view suffixes[2];
};

constexpr FrameworkRow kFrameworks[] = {
    {"0", "Caffe", {".prototxt", ".caffemodel"}},
    {"1", "MindSpore", {".air", ".mindir"}},
    {"3", "TensorFlow", {".pb", ".pbtxt"}},
    {"5", "ONNX", {".onnx", ""}},
};
constexpr std::string_view kOnnx = "5";

[[noreturn]] void ThrowUsage(std::string_view message) {
  throw Error(ErrorKind::kUsage, message);
}

const FrameworkRow* FrameworkOfValue(std::string_view value) {
  for (const FrameworkRow& row : kFrameworks) {
    if (row.value == value) {
      return &row;
    }
  }
  ThrowUsage(
      fmt::format("E10001: --framework={}: expected 0 (Caffe), 1 (MindSpore), 3 (TensorFlow) "
                  "or 5 (ONNX)",
                  value));
}

const FrameworkRow* FrameworkOfSuffix(std::string_view suffix) {
  for (const FrameworkRow& row : kFrameworks) {
    if (!suffix.empty() && (row.suffixes[0] == suffix || row.suffixes[1] == suffix)) {
      return &row;
    }
  }
  return nullptr;
}

bool HoldsModel(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "model.onnx", error);
}

void CheckFramework(const fs::path& model, const std::string& value) {
  std::error_code error;
  const bool is_folder = fs::is_directory(model, error);
  if (is_folder && !HoldsModel(model)) {
    ThrowUsage(
        fmt::format("E10001: --model={}: expected an ONNX file, or a folder that holds "
                    "model.onnx",
                    model.string()));
  }
  const FrameworkRow* of_suffix =
      is_folder ? FrameworkOfValue(kOnnx) : FrameworkOfSuffix(model.extension().string());
  const FrameworkRow* given = value.empty() ? nullptr : FrameworkOfValue(value);
  if (given != nullptr && of_suffix != nullptr && given != of_suffix) {
    ThrowUsage(
        fmt::format("E10001: --framework={} is {}, but the suffix of '{}' says {}; correct "
                    "one of them",
                    value, given->name, model.string(), of_suffix->name));
  }
  const FrameworkRow* framework = given != nullptr ? given : of_suffix;
  if (framework == nullptr) {
    ThrowUsage(
        fmt::format("E10054: --framework is missing, and the suffix of '{}' does not tell; "
                    "use --framework=5 for an ONNX model",
                    model.string()));
  }
  if (framework->value != kOnnx) {
    ThrowUsage(
        fmt::format("E10001: --framework={} ({}): halftone tunes ONNX models; export '{}' to "
                    "ONNX",
                    framework->value, framework->name, model.string()));
  }
}

std::vector<fs::path> ModelsIn(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    ThrowUsage(fmt::format("E10001: --model_path={}: expected a folder with ONNX models", folder));
  }
  std::vector<fs::path> models;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".onnx" ||
        (entry.is_directory(error) && HoldsModel(entry.path()))) {
      models.push_back(entry.path());
    }
  }
  if (models.empty()) {
    ThrowUsage(
        fmt::format("E10001: --model_path={}: found no .onnx file and no folder that holds "
                    "model.onnx",
                    folder));
  }
  std::sort(models.begin(), models.end());
  return models;
}

}  // namespace

std::vector<fs::path> ModelsOf(const ToolCommandLine& line) {
  const std::string framework = line.Get("framework");
  if (line.Has("model") && line.Has("model_path")) {
    ThrowUsage("E10056: --model and --model_path exclude each other; give one of them");
  }
  if (line.Has("model_path")) {
    std::vector<fs::path> models = ModelsIn(line.Get("model_path"));
    for (const fs::path& model : models) {
      CheckFramework(model, framework);
    }
    return models;
  }
  if (!line.Has("model")) {
    ThrowUsage("E10054: --model is missing; see halftone aoe --help");
  }
  const fs::path model(line.Get("model"));
  std::error_code error;
  if (!fs::exists(model, error)) {
    ThrowUsage(fmt::format("E10001: --model={}: there is no such file", model.string()));
  }
  CheckFramework(model, framework);
  return {model};
}

}  // namespace halftone
