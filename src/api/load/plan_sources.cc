#include "src/api/load/plan_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/onnx/reader.h"
#include "src/target/ops_info_files.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

void AddTarget(const TargetOptions& options, const TargetSpec& target, OptionFiles& sources) {
  if (IsTargetFile(options.soc_version)) {
    sources.arguments.push_back(fmt::format("--soc_version={}", kTargetFile));
    sources.files.emplace(kTargetFile, ReadFile(options.soc_version));
  } else if (!options.has_library() || !options.soc_version.empty()) {
    sources.arguments.push_back(fmt::format("--soc_version={}", target.name));
  }
}

// Adds the op library. Of a folder only the files that this target reads are added, at paths that
// give the same order of reading.
void AddOpsInfo(const TargetOptions& options, const TargetSpec& target, OptionFiles& sources) {
  if (!options.has_library()) {
    return;
  }
  std::error_code error;
  const bool is_folder = fs::is_directory(options.ops_info, error);
  const std::string file = options.ops_info.filename().string();
  sources.arguments.push_back(is_folder ? fmt::format("--ops_info={}", kOpsInfoFolder)
                                        : fmt::format("--ops_info={}/{}", kOpsInfoFolder, file));
  for (const OpsInfoFile& found : FindOpsInfoFiles(options.ops_info)) {
    if (found.family.empty() || found.family == target.family) {
      const std::string name =
          is_folder ? found.path.lexically_relative(options.ops_info).string() : file;
      sources.files.emplace(fmt::format("{}/{}", kOpsInfoFolder, name), ReadFile(found.path));
    }
  }
}

// Reading the text back is the definition of what it can express.
bool SaysShapesOf(std::string_view text, const Graph& graph) {
  InputShapes expected;
  for (const ValueId id : graph.inputs) {
    expected.emplace(graph.value(id).name, graph.value(id).type.shape.dims());
  }
  try {
    return ParseInputShapes(text) == expected;
  } catch (const Error&) {
    return false;
  }
}

void AddShapes(std::span<const Model> models, OptionFiles& sources) {
  std::set<std::string> said;
  for (const Model& model : models) {
    if (SaysShapesOf(model.input_shapes, model.graph) && said.insert(model.input_shapes).second) {
      sources.arguments.push_back(fmt::format("--input_shape={}", model.input_shapes));
    }
  }
}

}  // namespace

bool IsTargetFile(std::string_view soc_version) {
  return soc_version.ends_with(".ini") || soc_version.find('/') != std::string_view::npos;
}

OptionFiles PlanSourcesOf(const TargetOptions& options, const TargetSpec& target,
                          std::span<const Model> models) {
  OptionFiles sources;
  AddTarget(options, target, sources);
  AddOpsInfo(options, target, sources);
  AddShapes(models, sources);
  return sources;
}

OptionFiles Joined(const OptionFiles& sources, const OptionFiles& files) {
  OptionFiles joined = sources;
  joined.arguments.insert(joined.arguments.end(), files.arguments.begin(), files.arguments.end());
  joined.files.insert(files.files.begin(), files.files.end());
  return joined;
}

}  // namespace halftone
