#include "halftone/run.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "halftone/error.h"
#include "halftone/explain.h"
#include "halftone/export.h"
#include "src/python/functions.h"
#include "src/python/gil.h"
#include "src/python/options.h"
#include "src/python/progress.h"

namespace py = pybind11;

namespace halftone {
namespace {

py::object Pair(const std::optional<Bounds95>& interval) {
  return interval ? py::object(py::make_tuple(interval->low, interval->high)) : py::none();
}

// As "accuracy" in front.json.
py::dict DictOf(const std::vector<MetricFigures>& accuracy) {
  py::dict metrics;
  for (const MetricFigures& figures : accuracy) {
    py::dict metric;
    metric["mean"] = figures.mean;
    metric["mean_interval"] = Pair(figures.mean_interval);
    metric["worst"] = figures.worst;
    metric["worst_sample"] = figures.worst_sample;
    metric["worst_sample_name"] = figures.worst_sample_name;
    metrics[py::str(figures.name)] = metric;
  }
  return metrics;
}

py::dict DictOf(const RunFigures& run) {
  py::dict result;
  result["configuration"] = run.configuration;
  result["input_shapes"] = run.input_shapes;
  result["plan_digest"] = run.plan_digest;
  result["speed_up"] = run.speed_up;
  result["speed_up_interval"] = Pair(run.speed_up_interval);
  result["median_s"] = run.median_s;
  result["reference_median_s"] = run.reference_median_s;
  result["accuracy"] = DictOf(run.accuracy);
  result["reference_top1"] = run.reference_top1;
  result["samples"] = run.samples;
  result["representative"] = run.representative;
  result["kept_nodes"] = run.kept_nodes;
  result["low_precision_nodes"] = run.low_precision_nodes;
  result["overflow"] = InPython(run.overflow);
  result["judging"] = InPython(run.judging);
  result["steps"] = run.steps;
  result["tuned_steps"] = run.tuned_steps;
  return result;
}

ConfiguredNetwork NetworkOf(const py::dict& options, const DatasetOptions& data = {}) {
  const ModelOptions model = ModelOptionsOf(options, data);
  const Configuration configuration = ConfigurationOf(options);
  const GilReleased unlocked;
  return {model, configuration, data};
}

py::dict RunOnce(const py::dict& options, const py::dict& data) {
  const DatasetOptions samples = DataOptionsOf(data);
  const MeasureSettings settings = MeasureSettingsOf(options);
  const ConfiguredNetwork network = NetworkOf(options, samples);
  RunProgress progress{py::none()};
  Figures figures;
  progress.Watch(
      [&] { figures = Run(network, samples, settings, progress.Hooks().stop_requested); });
  py::dict result = DictOf(figures.by_shape.front());
  py::list by_shape;
  for (const RunFigures& run : figures.by_shape) {
    by_shape.append(DictOf(run));
  }
  result["by_shape"] = by_shape;
  result["warnings"] = InPython(figures.warnings);
  result["signal"] = progress.signal();
  return result;
}

py::dict ExplainPlan(const py::dict& options) {
  const ExplainQuestion question{.format = Get<std::string>(options, "format", "json"),
                                 .node = Text(options, "node"),
                                 .steps = Get(options, "steps", false)};
  const ConfiguredNetwork network = NetworkOf(options);
  ExplainedPlan explained;
  {
    const GilReleased unlocked;
    explained = Explain(network, question);
  }
  py::dict result;
  result["text"] = std::move(explained.text);
  result["warnings"] = InPython(explained.warnings);
  return result;
}

// Writes the file "file" in the format "to", those beside it and its record; "patched": the file of
// a tool that the format patches; "strict": nothing is written where the file would not say all.
py::dict ExportFile(const py::dict& options) {
  const ConfiguredNetwork network = NetworkOf(options);
  const ExportRequest request{.format = Text(options, "to"),
                              .file = Text(options, "file"),
                              .patched = Text(options, "patched"),
                              .strict = Get(options, "strict", false)};
  WrittenExport written;
  {
    const GilReleased unlocked;
    written = Export(network, request);
  }
  py::dict result;
  result["record"] = written.record;
  result["files"] = written.files;
  return result;
}

// Writes the folder "output" with the smallest options for the same plan. Returns their arguments.
std::vector<std::string> WriteFolder(const py::dict& options) {
  const ConfiguredNetwork network = NetworkOf(options);
  const std::string folder = Text(options, "output");
  const bool write_v2 = Get(options, "write_v2", false);
  const GilReleased unlocked;
  return WriteOptions(network, folder, write_v2);
}

}  // namespace

void DefineRun(py::module_& module) {
  module.def("run", &RunOnce);
  module.def("explain", &ExplainPlan);
  module.def("export", &ExportFile);
  module.def("write_options", &WriteFolder);
}

}  // namespace halftone
