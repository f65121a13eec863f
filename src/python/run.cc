#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "src/accuracy/metrics.h"
#include "src/api/bank/point_kernels.h"
#include "src/api/export_plan.h"
#include "src/api/halftone.h"
#include "src/api/shape_profiles.h"
#include "src/base/error.h"
#include "src/base/stopped_by_user.h"
#include "src/base/text.h"
#include "src/python/functions.h"
#include "src/python/gil.h"
#include "src/python/options.h"
#include "src/python/progress.h"

namespace py = pybind11;

namespace halftone {
namespace {

py::object Pair(const std::optional<Interval>& interval) {
  return interval ? py::object(py::make_tuple(interval->low, interval->high)) : py::none();
}

// As "accuracy" in front.json.
py::dict AccuracyOf(const Accuracy& accuracy) {
  py::dict metrics;
  for (const MetricValue& value : accuracy.metrics) {
    py::dict metric;
    metric["mean"] = value.mean;
    metric["mean_interval"] = Pair(MeanInterval(value));
    metric["worst"] = value.worst;
    metric["worst_sample"] = value.worst_sample;
    metric["worst_sample_name"] = value.worst_sample_name;
    metrics[py::str(value.name)] = metric;
  }
  return metrics;
}

py::dict FactsOf(const RunResult& run, const Model& model) {
  const Latency& latency = run.measurement.latency;
  py::dict result;
  result["configuration"] = run.configuration;
  result["input_shapes"] = model.input_shapes;
  result["plan_digest"] = run.plan_digest.ToHex();
  result["speed_up"] = run.timed ? py::object(py::float_(latency.speed_up())) : py::none();
  result["speed_up_interval"] = run.timed ? Pair(latency.speed_up_interval()) : py::none();
  result["median_s"] = latency.median_s;
  result["reference_median_s"] = run.reference_latency_s;
  result["accuracy"] = AccuracyOf(run.measurement.accuracy);
  result["reference_top1"] = run.reference_top1;
  result["samples"] = run.sample_count;
  result["representative"] = run.representative;
  result["kept_nodes"] = run.kept_nodes;
  result["low_precision_nodes"] = run.low_precision_nodes;
  result["overflow"] = InPython(run.overflow);
  result["judging"] = InPython(run.judging);
  result["steps"] = run.steps;
  result["tuned_steps"] = run.tuned_steps;
  return result;
}

py::dict RunOnce(const py::dict& options, const py::dict& data) {
  const DatasetOptions samples = DataOptionsOf(data);
  const MeasureSettings settings = MeasureSettingsOf(options);
  Configuration configuration = ConfigurationOf(options);
  const std::vector<Model> models = LoadModelsOf(options, samples, configuration);
  std::vector<KernelChoices> choices(models.size());
  if (configuration.point) {
    PointChoices of_point = ChoicesOfPoint(*configuration.point, settings.threads);
    std::ranges::fill(choices, of_point.choices);
    if (!of_point.note.empty()) {
      configuration.warnings.push_back(std::move(of_point.note));
    }
  }
  RunProgress progress{py::none()};
  RunHooks hooks;
  hooks.stop_requested = progress.Callbacks().stop_requested;
  std::vector<RunResult> runs;
  {
    const GilReleased unlocked;
    try {
      runs = RunShapeProfiles(models, configuration.target, configuration.precision, samples,
                              settings, choices, hooks);
    } catch (const StoppedByUser&) {  // in a program of the user
      WithGil([&] {
        if (progress.signal().is_none()) {
          throw;
        }
        PyErr_SetObject(py::type::of(progress.signal()).ptr(), progress.signal().ptr());
        throw py::error_already_set();
      });
    }
  }
  py::dict result = FactsOf(runs.front(), models.front());
  std::vector<std::string> warnings = std::move(configuration.warnings);
  py::list by_shape;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    by_shape.append(FactsOf(runs[i], models[i]));
    warnings.insert(warnings.end(), runs[i].warnings.begin(), runs[i].warnings.end());
    if (!runs[i].load_warning.empty()) {
      warnings.push_back(runs[i].load_warning);
    }
  }
  if (models.size() > 1) {
    warnings.push_back(
        fmt::format("the samples have {} input shapes: the figures are those of the first, and "
                    "by_shape has all of them",
                    models.size()));
  }
  result["by_shape"] = by_shape;
  result["warnings"] = InPython(warnings);
  result["signal"] = progress.signal();
  return result;
}

py::dict ExplainPlan(const py::dict& options) {
  ExplainRequest request;
  request.format = Get<std::string>(options, "format", "json");
  request.node = Text(options, "node");
  request.steps = Get(options, "steps", false);
  CheckExplainRequest(request);
  Configuration configuration = ConfigurationOf(options);
  const Model model = LoadModelOf(options, configuration);
  ExplainedText explained;
  {
    const GilReleased unlocked;
    explained = ExplainText(model, configuration.target, configuration.precision, request);
  }
  std::vector<std::string> warnings = std::move(configuration.warnings);
  warnings.insert(warnings.end(), explained.warnings.begin(), explained.warnings.end());
  warnings.insert(warnings.end(), explained.notes.begin(), explained.notes.end());
  py::dict result;
  result["text"] = std::move(explained.text);
  result["warnings"] = InPython(warnings);
  return result;
}

// Writes the file "file" in the format "to", those beside it and its record; "patched": the file of
// a tool that the format patches; "strict": nothing is written where the file would not say all.
py::dict ExportFile(const py::dict& options) {
  const ExportFormat format = ParseExportFormat(Text(options, "to"));
  const std::string text = TextOf(format);
  Configuration configuration = ConfigurationOf(options);
  const Model model = LoadModelOf(options, configuration);
  const std::filesystem::path file = Text(options, "file");
  const std::filesystem::path patched = Text(options, "patched");
  std::error_code error;
  if (!patched.empty() && std::filesystem::equivalent(patched, file, error)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("'{}' is the file that is patched, and stays as it is: name another "
                            "one to write",
                            file.string()));
  }
  const bool strict = Get(options, "strict", false);
  ExportedPlan exported;
  std::vector<std::string> files;
  {
    const GilReleased unlocked;
    exported = ExportPlan(model, configuration.target, configuration.precision, format,
                          {.file = file.filename().string(), .patched = patched});
    if (strict && !exported.notes.empty()) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("strict: the {} file would not say all of the plan, so that nothing "
                              "was written: {}",
                              text, Join(exported.notes, "; ")));
    }
    files = WriteExported(exported, text, file);
  }
  py::dict result;
  result["record"] = ExportRecord(exported, text, file.filename().string());
  result["files"] = files;
  return result;
}

// Writes the folder "output" with the smallest options for the same plan. Returns their arguments.
std::vector<std::string> WriteFolder(const py::dict& options) {
  Configuration configuration = ConfigurationOf(options);
  const Model model = LoadModelOf(options, configuration);
  if (const std::string bank = Text(options, "from_bank"); !bank.empty()) {
    configuration.precision =
        LoadStored({&model, 1}, bank, configuration.target, Text(options, "select")).precision;
  }
  const std::filesystem::path folder = Text(options, "output");
  const SmallestOptionsRequest request{.v2_names = Get(options, "write_v2", false)};
  const GilReleased unlocked;
  return WriteSmallestOptions({&model, 1}, configuration.target_options, configuration.precision,
                              folder, request)
      .arguments;
}

}  // namespace

void DefineRun(py::module_& module) {
  module.def("run", &RunOnce);
  module.def("explain", &ExplainPlan);
  module.def("export", &ExportFile);
  module.def("write_options", &WriteFolder);
}

}  // namespace halftone
