#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "src/accuracy/shape_datasets.h"
#include "src/api/halftone.h"
#include "src/api/load/memory_limit.h"
#include "src/api/load/model_source.h"
#include "src/api/load/shapes_from_data.h"
#include "src/api/load/traced_samples.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/hash.h"
#include "src/base/text.h"
#include "src/onnx/reader.h"
#include "src/passes/fusion_switches.h"
#include "src/passes/passes.h"
#include "src/target/destinations.h"

namespace halftone {
namespace {

// "resnet50" for resnet50/model.onnx and for resnet50.onnx.
std::string ModelName(const std::filesystem::path& path) {
  const std::filesystem::path normal = std::filesystem::absolute(path).lexically_normal();
  const std::filesystem::path last = normal.has_filename() ? normal : normal.parent_path();
  if (last.extension() != ".onnx") {
    return last.filename().string();
  }
  return last.stem() == "model" && last.has_parent_path() ? last.parent_path().filename().string()
                                                          : last.stem().string();
}

// The shape with 1 in place of what is free.
std::string ExampleShape(std::vector<std::int64_t> dims) {
  std::replace(dims.begin(), dims.end(), kFreeDimension, std::int64_t{1});
  return fmt::format("{}", fmt::join(dims, ","));
}

void RefuseFreeDimensions(const std::filesystem::path& path, const std::vector<ModelInput>& inputs,
                          const InputShapes& given) {
  for (const auto& shape : given) {
    const bool known = std::ranges::find(inputs, shape.first, &ModelInput::name) != inputs.end();
    if (!known) {
      return;  // a misspelt name is what the reader will tell
    }
  }
  for (const ModelInput& input : inputs) {
    const bool is_free =
        std::find(input.dims.begin(), input.dims.end(), kFreeDimension) != input.dims.end();
    if (is_free && !given.contains(input.name)) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("E10001: reading '{}': input '{}' has free dimensions; expected their "
                      "sizes, for example --input_shape=\"{}:{}\"",
                      path.string(), input.name, input.name, ExampleShape(input.dims)));
    }
  }
}

// "; free dimensions became 1 in inputs 'a', 'b': ..." where a shape that nobody gave may be why
// the model does not fit together.
std::string FreeDimensionHint(const std::vector<ModelInput>& inputs, const InputShapes& given) {
  std::vector<std::string> names;
  for (const ModelInput& input : inputs) {
    const bool is_free =
        std::find(input.dims.begin(), input.dims.end(), kFreeDimension) != input.dims.end();
    if (is_free && !given.contains(input.name)) {
      names.push_back(fmt::format("'{}'", input.name));
    }
  }
  return names.empty() ? ""
                       : fmt::format(
                             "; free dimensions became 1 in the input{} {}; --input_shape "
                             "sets them",
                             names.size() == 1 ? "" : "s", fmt::join(names, ", "));
}

// `source`: null reads the file.
ImportResult Import(const std::filesystem::path& path, const ImportOptions& options,
                    const std::vector<ModelInput>& inputs, ModelSource* source) {
  try {
    return source != nullptr ? source->file.Import(options) : ImportOnnx(path, options);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kModel) {
      throw;  // an operator that is missing is missing in any shape
    }
    throw Error(error.kind(), error.what() + FreeDimensionHint(inputs, options.input_shapes));
  }
}

// The passes, and the hash of what a measurement is of.
void Optimize(Model& model, const FusionNames& off) {
  model.hash = HashOf(model.graph);
  Graph fused = model.graph;  // shares the constants
  Canonicalize(model.graph, off);
  if (off.empty()) {
    return;
  }
  Graph without = fused;
  Optimize(without, off);
  Optimize(fused);
  const Hash128 hash = HashOf(without);
  if (hash != HashOf(fused)) {
    model.hash = Hasher().Add(model.hash).Add(hash).Finish();
  }
}

constexpr std::uintmax_t kMostSwitchBytes = 1U << 20U;
constexpr std::size_t kMostNames = 3;  // that a warning quotes

// "...: 12 names are of no fusion here and change nothing: 'A', 'B', 'C', ...;
// docs/internals/passes.md ..."
std::string UnknownFusions(const std::string& path, const std::vector<std::string>& unknown) {
  std::vector<std::string> listed;
  for (std::size_t i = 0; i < std::min(kMostNames, unknown.size()); ++i) {
    listed.push_back(fmt::format("'{}'", Shown(unknown[i])));
  }
  return fmt::format(
      "--fusion_switch_file={}: {} of no fusion here and {} nothing: {}{}; "
      "docs/internals/passes.md lists "
      "those there are",
      path, unknown.size() == 1 ? "1 name is" : fmt::format("{} names are", unknown.size()),
      unknown.size() == 1 ? "changes" : "change", Join(listed, ", "),
      unknown.size() > kMostNames ? ", ..." : "");
}

}  // namespace

FusionSwitches LoadFusionSwitches(const std::string& path, const TargetOptions& target) {
  const Destination* destination = FindDestination(target.soc_version);
  if (destination != nullptr) {
    FusionSwitches switches = LoadFusionSwitches(path);
    const std::size_t named = switches.off.size();
    switches.off.insert(destination->fusions_off.begin(), destination->fusions_off.end());
    if (switches.off.size() != named) {
      switches.file = FormatFusionSwitches(switches.off);
    }
    return switches;
  }
  if (path.empty()) {
    return {};
  }
  const std::string where = fmt::format("E10001: --fusion_switch_file={}", path);
  FusionSwitches switches;
  try {
    switches.file = ReadSmallFile(path, kMostSwitchBytes);
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: {}", where, error.what()));
  }
  std::vector<std::string> unknown;
  switches.off = ParseFusionSwitches(switches.file, where, &unknown);
  if (!unknown.empty()) {
    switches.warnings.push_back(UnknownFusions(path, unknown));
  }
  return switches;
}

Model LoadModel(const ModelOptions& options) {
  return LoadModel(options, nullptr);
}

Model LoadModel(const ModelOptions& options, std::shared_ptr<ModelSource> source,
                const Sample* sample) {
  const std::vector<ModelInput> inputs =
      source != nullptr ? source->file.Inputs() : ReadModelInputs(options.path);
  ImportOptions reading;
  reading.input_shapes = ParseInputShapes(options.input_shape);
  ShapesInData data = ShapesFromData(inputs, reading.input_shapes, options);
  reading.input_shapes.merge(data.shapes);  // what the user says wins
  if (options.refuse_free_dimensions) {
    RefuseFreeDimensions(options.path, inputs, reading.input_shapes);
  }
  reading.sample = sample == nullptr
                       ? FirstSampleOf(options)
                       : [inputs = sample->inputs](const Graph& /*graph*/) { return inputs; };
  reading.max_bytes = options.max_memory;
  ImportResult imported = Import(options.path, reading, inputs, source.get());
  Model model{
      .name = ModelName(options.path), .path = options.path, .graph = std::move(imported.graph)};
  model.notes = std::move(data.notes);
  std::ranges::move(imported.notes, std::back_inserter(model.notes));
  for (const ModelInput& input : inputs) {
    model.declared.emplace(input.name, input.dims);
  }
  if (!imported.traced.empty()) {
    model.notes.push_back(fmt::format(
        "shapes and branches are those of {}, where {}",
        sample == nullptr ? "the first sample" : fmt::format("sample '{}'", sample->name),
        ListTrace(imported.traced)));
  }
  model.traced = std::move(imported.traced);
  model.import_options = std::move(reading);
  Optimize(model, options.fusions_off);
  RequireMemory(model.graph, options.max_memory);
  if (source != nullptr) {
    source->constants.Share(model.graph);
  }
  model.options = options;
  model.source = std::move(source);
  model.input_shapes = InputShapesOf(model.graph);
  model.fusion_switches = options.fusion_switches.empty() && !options.fusions_off.empty()
                              ? FormatFusionSwitches(options.fusions_off)
                              : options.fusion_switches;
  return model;
}

}  // namespace halftone
