#include "src/api/report/write_outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/amct/layers.h"
#include "src/amct/point_files.h"
#include "src/api/load/plan_sources.h"
#include "src/api/options/option_folder.h"
#include "src/api/report/atc_script.h"
#include "src/api/report/measured_point.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/output_file.h"
#include "src/base/remove_below.h"
#include "src/base/shell_words.h"
#include "src/onnx/model_inputs.h"
#include "src/precision/files/write_files.h"
#include "src/precision/resolve/resolve.h"
#include "src/precision/write/plan_writer.h"
#include "src/precision/write/v2_name.h"
#include "src/qaic/point_files.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

constexpr std::string_view kPointPrefix = "point_";

// True if the value of the argument is one of the files, or a folder that holds some.
bool NamesFile(const OptionFiles& files, const Argument& argument) {
  const auto first = files.files.lower_bound(argument.value);
  return first != files.files.end() &&
         (first->first == argument.value || first->first.starts_with(argument.value + "/"));
}

// `measured`: of the point.
WrittenPoint WritePoint(FrontPoint& point, const Model& model, const TargetSpec& target,
                        const PointContent& content, std::string measured,
                        const std::filesystem::path& output) {
  point.arguments.clear();
  point.not_expressible = ObstacleToFiles(point.trial.candidate.options);
  if (!point.not_expressible.empty()) {
    RemoveOptionFolder(output / point.folder);
    point.folder.clear();
    return {};
  }
  WrittenPoint written = WritePointFolder(output / point.folder, point.trial, model, target,
                                          content, std::move(measured));
  const OptionFiles& files = written.options;
  for (const std::string& argument : files.arguments) {
    const auto equals = argument.find('=');
    Argument parsed{argument.substr(0, equals), argument.substr(equals + 1)};
    if (NamesFile(files, parsed)) {
      parsed.value = point.folder + "/" + parsed.value;
    }
    point.arguments.push_back(std::move(parsed));
  }
  return written;
}

// Lines of the files that say something of single operators.
std::size_t LinesOf(const PrecisionOptions& options) {
  std::size_t types = 0;
  if (options.modify_mixlist) {
    const Mixlist& lists = *options.modify_mixlist;
    for (const MixlistChange* change : {&lists.white, &lists.black, &lists.gray}) {
      types += change->to_add.size() + change->to_remove.size();
    }
  }
  return types + options.keep_dtype.size() + options.customize_dtypes.size() +
         options.impl_mode_by_node.size() + options.impl_mode_by_type.size();
}

// atc.sh and what it names besides the files of options; where no file of AMCT gives the plan, a
// script that says so and fails.
void AddAtcFiles(const Model& model, const TargetSpec& target, const PrecisionPlan& plan,
                 OptionFiles& files) {
  std::string script;
  try {
    if (IsAmctTarget(target)) {
      files.files.merge(AmctPointTexts(model.graph, plan, target.name));
    }
    script = AtcScript(files, target, model.path);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported && error.kind() != ErrorKind::kUsage) {
      throw;
    }
    script = fmt::format("#!/bin/sh\necho {} >&2\nexit 1\n", ShellWord(error.what()));
  }
  if (!script.empty()) {
    files.files.emplace(kAtcScript, std::move(script));
  }
}

bool HasFreeDimension(const std::filesystem::path& model) {
  return std::ranges::any_of(ReadModelInputs(model), [](const ModelInput& input) {
    return std::ranges::find(input.dims, kFreeDimension) != input.dims.end();
  });
}

void RemoveOldPoints(const std::filesystem::path& output, std::size_t kept) {
  std::error_code error;
  for (std::size_t number = kept + 1;; ++number) {
    const auto folder = output / fmt::format("{}{}", kPointPrefix, number);
    if (!std::filesystem::is_directory(folder, error)) {
      return;
    }
    RemoveOptionFolder(folder);
  }
}

// Whether an earlier run wrote the report: those that may be missing name halftone at their begin.
bool IsOurs(const std::filesystem::path& path) {
  constexpr std::size_t kBegin = 256;  // bytes
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) &&
         ReadFile(path).substr(0, kBegin).find("halftone") != std::string::npos;
}

// An empty text removes what an earlier run left.
void WriteReport(const std::filesystem::path& output, std::string_view name,
                 const std::string& text) {
  if (!text.empty()) {
    WriteFileAtomically(output / name, text);
  } else if (IsOurs(output / name)) {
    RemoveOneBelow(output, output / name);
  }
}

}  // namespace

PrecisionOptions FewestLines(const Graph& graph, const TargetSpec& target,
                             const PrecisionOptions& options) {
  const PrecisionPlan plan = ResolvePrecision(graph, options, target);
  try {
    const std::vector<std::string> modes = {options.precision_mode};
    PrecisionOptions fewest = ConfigurationFor(graph, plan, target, modes).options;
    if (LinesOf(fewest) < LinesOf(options)) {
      return fewest;
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) {
      throw;
    }
  }
  return options;
}

void CheckWritable(const std::filesystem::path& output) {
  for (const ReportFormat& format : AllReportFormats()) {
    if (!format.file_name.empty()) {
      OutputFile::Check(output / format.file_name);
    }
  }
}

WrittenPoint WritePointFolder(const std::filesystem::path& folder, const Trial& trial,
                              const Model& model, const TargetSpec& target,
                              const PointContent& content, std::string measured) {
  PrecisionOptions options = FewestLines(model.graph, target, trial.candidate.options);
  if (content.v2_names) {
    options = WithV2Name(std::move(options));
  }
  OptionFiles files = Joined(content.sources, WriteOptionFiles(options, model.fusion_switches));
  const PrecisionPlan plan = ResolvePrecision(model.graph, options, target);
  std::vector<std::string> warnings;
  if (target.family == kCloudAiFamily) {
    QaicPointText texts = QaicPointTexts(model.graph, plan,
                                         {.path = model.path,
                                          .has_own_shapes = HasFreeDimension(model.path),
                                          .hash = model.hash,
                                          .version = Version(),
                                          .dumped_profile = content.dumped_profile});
    files.files.merge(texts.files);
    warnings = std::move(texts.warnings);
  } else {
    AddAtcFiles(model, target, plan, files);
  }
  PointRecord record = RecordOf(model, target.name, trial.plan_digest);
  record.measured = std::move(measured);
  record.kernels = content.kernels(plan);
  CreateFolder(folder);
  WrittenModels models = WritePointModels(folder, model, target, options, content.models);
  record.files = std::move(models.files);
  record.not_exported = std::move(models.missing);
  WriteOptionFolder(folder, files, std::move(record));
  return {.options = std::move(files),
          .failure = std::move(models.failure),
          .warnings = std::move(warnings)};
}

TuneSummary WriteOutputs(TuneSummary summary, const Model& model, const TargetSpec& target,
                         const PointContent& content, const std::filesystem::path& output) {
  CreateFolder(output);
  std::string failure;
  std::vector<std::string> measured = MeasuredPoints(summary);
  for (std::size_t i = 0; i < summary.front.points.size(); ++i) {
    summary.front.points[i].folder = fmt::format("{}{}", kPointPrefix, i + 1);
    WrittenPoint written =
        WritePoint(summary.front.points[i], model, target, content, std::move(measured[i]), output);
    failure = failure.empty() ? std::move(written.failure) : failure;
    for (std::string& warning : written.warnings) {
      if (std::ranges::find(summary.warnings, warning) == summary.warnings.end()) {
        summary.warnings.push_back(std::move(warning));
      }
    }
  }
  if (!failure.empty()) {
    summary.warnings.push_back(fmt::format(
        "not all model files of the points were written (point.json of each says why): {}",
        failure));
  }
  RemoveOldPoints(output, summary.front.points.size());
  for (const ReportFormat& format : AllReportFormats()) {
    if (!format.file_name.empty()) {
      WriteReport(output, format.file_name, format.format(summary));
    }
  }
  return summary;
}

}  // namespace halftone
