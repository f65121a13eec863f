#include "src/api/runtime/open_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/parallel.h"
#include "src/api/export_plan.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/onnx/model_file.h"
#include "src/precision/plan_formats.h"
#include "src/precision/write/plan_writer.h"
#include "src/runtimes/command/command_runtime.h"
#include "src/runtimes/onnxruntime/ort_runtime.h"
#include "src/runtimes/plan_files.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// Names in the folder of a knowledge base.
constexpr std::string_view kEngineFolder = "engines";
constexpr std::string_view kModelName = "model.onnx";
constexpr std::string_view kOnnxFormats = "onnx-";
constexpr std::string_view kTypedFormat = "onnx-mixed";
constexpr std::string_view kQuantizedFormat = "onnx-qdq";
constexpr std::string_view kSymmetricFormat = "onnx-qdq:flavour=tensorrt";

// What a kind of runtime is made from. The writer of a runtime owns it, so that it lives as long.
struct RuntimeSource {
  const Model& model;
  TargetOptions target_options;
  TargetSpec target;
  Dataset data;
  RuntimeArguments arguments;
  int threads = 1;
  std::filesystem::path cache;
  std::function<bool()> stop_requested;
};

struct RuntimeKind {
  std::string_view prefix;
  std::string_view form;
  void (*check)(const RuntimeArguments& arguments);
  OpenedRuntime (*open)(const std::shared_ptr<const RuntimeSource>& source);
};

// Options that resolve to the plan, with all files that they name.
void WriteOptionsOf(const RuntimeSource& source, const PrecisionPlan& plan, const fs::path& folder,
                    std::vector<std::string>& notes) {
  try {
    const WrittenConfiguration written = ConfigurationFor(source.model.graph, plan, source.target);
    WriteSmallestOptions({&source.model, 1}, source.target_options, written.options, folder);
  } catch (const Error& error) {
    // Options cannot say every plan, and `run` knows a target by its name alone.
    if (error.kind() != ErrorKind::kUnsupported && error.kind() != ErrorKind::kUsage) {
      throw;
    }
    notes.push_back(fmt::format("no options are beside the model: {}", error.what()));
  }
}

// The plan as text files of other tools: encodings, arguments. What a format cannot say is left
// out.
void WriteTextsOf(const RuntimeSource& source, const PrecisionPlan& plan, const fs::path& folder) {
  for (const ExportFormat& format : ParseExportFormats("all")) {
    if (format.name.starts_with(kOnnxFormats)) {
      continue;  // the model is there already
    }
    const std::string file = ExportFileName(format, source.model.name);
    try {
      WriteExported(ExportPlan(source.model, plan, format, {.file = file, .patched = {}}),
                    TextOf(format), folder / file);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUnsupported && error.kind() != ErrorKind::kUsage) {
        throw;
      }
    }
  }
}

// 8-bit plans in pairs of nodes, 16-bit plans on typed tensors, float32 as the user's own file.
PlanFilesWriter WriterOf(const std::shared_ptr<const RuntimeSource>& source,
                         std::string_view quantized) {
  return [source, quantized](const PrecisionPlan& plan, const fs::path& folder,
                             bool all) -> PlanFiles {
    PlanFiles files{.model = ModelFile(source->model.path), .notes = {}};
    const bool in_8_bits = HasFormat(plan, IsIn8Bits);
    if (in_8_bits || HasFormat(plan, IsIn16Bits)) {
      const std::string_view text = in_8_bits ? quantized : kTypedFormat;
      ExportedPlan exported = ExportPlan(source->model, plan, ParseExportFormat(text),
                                         {.file = std::string(kModelName), .patched = {}});
      files.model = folder / kModelName;
      WriteExported(exported, text, files.model);
      files.notes = std::move(exported.notes);
    }
    if (all) {
      WriteOptionsOf(*source, plan, folder, files.notes);
      WriteTextsOf(*source, plan, folder);
    }
    return files;
  };
}

// What stands behind "ort:" and the like.
std::string_view OptionsOf(const RuntimeArguments& arguments) {
  return std::string_view(arguments.runtime).substr(arguments.runtime.find(':') + 1);
}

void CheckOrt(const RuntimeArguments& arguments) {
  ParseOrtOptions(OptionsOf(arguments));
}

OpenedRuntime OpenOrt(const std::shared_ptr<const RuntimeSource>& source) {
  OrtOptions options = ParseOrtOptions(OptionsOf(source->arguments));
  options.threads = source->threads;
  options.stop_requested = source->stop_requested;
  const bool symmetric =
      !options.providers.empty() && WantsSymmetricInt8(options.providers.front());
  return {MakeOrtRuntime(source->model.graph, source->data.Read(0),
                         WriterOf(source, symmetric ? kSymmetricFormat : kQuantizedFormat),
                         std::move(options)),
          {}};
}

CommandOptions CommandOptionsOf(const RuntimeArguments& arguments) {
  return ParseCommandOptions(OptionsOf(arguments), arguments.format, arguments.timeout_s,
                             arguments.inputs);
}

void CheckCommand(const RuntimeArguments& arguments) {
  CommandOptionsOf(arguments);
}

OpenedRuntime OpenCommand(const std::shared_ptr<const RuntimeSource>& source) {
  CommandOptions options = CommandOptionsOf(source->arguments);
  options.cache = source->cache;
  options.stop_requested = source->stop_requested;
  if (Anchor anchor = AnchorOf(source->model.graph, source->target); !anchor.is_float32()) {
    options.anchor = std::move(anchor);
  }
  std::shared_ptr<CommandRuntime> runtime = MakeCommandRuntime(
      source->model.graph, WriterOf(source, kQuantizedFormat), source->data, std::move(options));
  std::vector<std::string> notes = runtime->SelfTest();
  return {std::move(runtime), std::move(notes)};
}

constexpr RuntimeKind kRuntimes[] = {
    {"ort:", "ort:LIBRARY[,provider=NAME][,config=KEY=VALUE]", CheckOrt, OpenOrt},
    {"command:", "\"command:PROGRAM ARGUMENTS\"", CheckCommand, OpenCommand},
};

const RuntimeKind& KindOf(std::string_view runtime) {
  const auto* const found = std::ranges::find_if(
      kRuntimes, [&](const RuntimeKind& kind) { return runtime.starts_with(kind.prefix); });
  if (found == std::end(kRuntimes)) {
    throw Error(ErrorKind::kUsage, fmt::format("--measure={} names no runtime; expected {}",
                                               Shown(runtime), Join(MeasureForms(), " or ")));
  }
  return *found;
}

}  // namespace

void CheckRuntimeArguments(const RuntimeArguments& arguments) {
  if (!arguments.runtime.empty()) {
    KindOf(arguments.runtime).check(arguments);
  }
}

std::vector<std::string> MeasureForms() {
  std::vector<std::string> forms;
  for (const RuntimeKind& kind : kRuntimes) {
    forms.emplace_back(kind.form);
  }
  return forms;
}

OpenedRuntime OpenRuntime(const RuntimeNetwork& network, const MeasureSettings& settings,
                          const std::filesystem::path& bank,
                          const std::function<bool()>& stop_requested) {
  if (settings.on.runtime.empty()) {
    return {};
  }
  return KindOf(settings.on.runtime)
      .open(std::make_shared<const RuntimeSource>(
          RuntimeSource{.model = network.model,
                        .target_options = network.target_options,
                        .target = network.target,
                        .data = network.data,
                        .arguments = settings.on,
                        .threads = ThreadPool(settings.threads).threads(),
                        .cache = bank.empty() ? std::filesystem::path() : bank / kEngineFolder,
                        .stop_requested = stop_requested}));
}

}  // namespace halftone
