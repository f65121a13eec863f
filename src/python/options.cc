#include "src/python/options.h"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <utility>

#include "halftone/error.h"
#include "halftone/metric.h"
#include "halftone/precision.h"
#include "halftone/quantize.h"
#include "src/python/arrays.h"
#include "src/python/gil.h"

namespace py = pybind11;

namespace halftone {
namespace {

std::shared_ptr<const SampleArrays> ArraysOf(const py::dict& data) {
  SampleArrays arrays;
  arrays.name = Text(data, "name");
  for (const auto& [key, value] : py::dict(data["arrays"])) {
    const auto name = py::cast<std::string>(key);
    const std::string what =
        name.empty() ? arrays.name : fmt::format("{}['{}']", arrays.name, name);
    arrays.inputs.push_back({name, TensorOf(py::cast<py::array>(value), what)});
  }
  if (data.contains("labels") && !data["labels"].is_none()) {
    arrays.labels = TensorOf(data["labels"].cast<py::array>(), "labels of " + arrays.name);
    arrays.labels_output = Text(data, "labels_output");
  }
  return std::make_shared<const SampleArrays>(std::move(arrays));
}

// A callable of Python, which is dropped under the lock of the interpreter.
std::shared_ptr<const py::object> Held(py::object object) {
  return {new py::object(std::move(object)),
          [](const py::object* held) { WithGil([held] { delete held; }); }};
}

std::shared_ptr<const MetricFunction> MetricFunctionOf(const py::object& callable) {
  const auto held = Held(callable);
  const auto judge = [held](const JudgedOutputs& judged) {
    const py::object outputs = py::cast(&judged, py::return_value_policy::reference);
    return Call(*held, py::make_tuple(outputs)).cast<std::vector<double>>();
  };
  return std::make_shared<const MetricFunction>([judge](const JudgedOutputs& judged) {
    return WithGil([&] {
      try {
        return judge(judged);
      } catch (py::error_already_set& raised) {
        if (!raised.matches(PyExc_KeyboardInterrupt)) {
          throw;
        }
      }
      // Ctrl-C within the callable is Ctrl-C of the run, which ends behind this measurement.
      std::vector<double> values = judge(judged);
      PyErr_SetInterrupt();
      return values;
    });
  });
}

}  // namespace

std::vector<std::string> InPython(std::span<const std::string> sentences, Language language) {
  std::vector<std::string> words;
  for (const std::string& sentence : sentences) {
    words.push_back(InWordsOf(language, sentence));
  }
  return words;
}

void ThrowOtherType(const char* key, const py::handle& value) {
  throw Error(
      ErrorKind::kUsage,
      fmt::format("{}={}: a {} that is no value of it; help() of the function says what is", key,
                  Shown(py::repr(value).cast<std::string>()), Py_TYPE(value.ptr())->tp_name));
}

namespace {

template <typename T, typename Range>
T NumberOf(const py::dict& options, const char* key, T fallback, const Range& range) {
  if (!options.contains(key) || options[key].is_none()) {
    return fallback;
  }
  const py::object value = options[key];
  try {
    // A bool is an int of Python, and no number here.
    if (!py::isinstance<py::bool_>(value)) {
      const T number = value.cast<T>();
      RequireNumber(key, number, range);
      return number;
    }
  } catch (const py::cast_error&) {
    // What follows says so too.
  }
  throw Error(ErrorKind::kUsage, fmt::format("{}={}: expected {}, found a {}", key,
                                             Shown(py::repr(value).cast<std::string>()),
                                             RangeText(range), Py_TYPE(value.ptr())->tp_name));
}

}  // namespace

void Warn(const std::string& sentence) {
  if (PyErr_WarnEx(py::module_::import("halftone").attr("HalftoneWarning").ptr(), sentence.c_str(),
                   2) != 0) {
    throw py::error_already_set();
  }
}

double Number(const py::dict& options, const char* key, double fallback, const RealRange& range) {
  return NumberOf(options, key, fallback, range);
}

std::int64_t Number(const py::dict& options, const char* key, std::int64_t fallback,
                    const WholeRange& range) {
  return NumberOf(options, key, fallback, range);
}

int ThreadsOf(const py::dict& options) {
  return static_cast<int>(Number(options, "threads", 0, limits::kThreadRange));
}

std::uint64_t SeedOf(const py::dict& options, std::uint64_t fallback) {
  return static_cast<std::uint64_t>(
      Number(options, "seed", static_cast<std::int64_t>(fallback), limits::kSeedRange));
}

DatasetOptions DataOptionsOf(const py::dict& data) {
  DatasetOptions options;
  if (data.contains("arrays") && !data["arrays"].is_none()) {
    options.arrays = ArraysOf(data);
  } else {
    options.inputs = Text(data, "inputs");
    options.labels = Text(data, "labels");
  }
  options.image = Text(data, "image");
  options.state = Text(data, "state");
  options.sequence_length =
      Number(data, "sequence_length", options.sequence_length, limits::kCountRange);
  options.max_samples = Number(data, "max_samples", options.max_samples, limits::kCountRange);
  options.draw_samples = Number(data, "draw_samples", options.draw_samples, limits::kCountRange);
  options.seed = SeedOf(data, options.seed);
  return options;
}

ModelOptions ModelOptionsOf(const py::dict& options, const DatasetOptions& data) {
  ModelOptions model;
  model.path = Text(options, "model");
  model.input_shape = Text(options, "input_shape");
  model.inputs = data.inputs;
  model.state = data.state;
  model.image = data.image;
  model.arrays = data.arrays;
  model.max_memory = Number(options, "max_memory", model.max_memory, limits::kByteRange);
  return model;
}

ModelOptions WithFusionSwitches(ModelOptions model, const py::dict& options) {
  FusionSwitches switches =
      LoadFusionSwitches(Text(options, "fusion_switch_file"), TargetOptionsOf(options));
  for (const std::string& warning : switches.warnings) {
    Warn(InWordsOf(Language::kPython, warning));
  }
  model.fusions_off = std::move(switches.off);
  model.fusion_switches = std::move(switches.file);
  return model;
}

TargetOptions TargetOptionsOf(const py::dict& options) {
  TargetOptions target = ParseQuantize(Text(options, "quantize"),
                                       {.soc_version = Text(options, "soc_version"),
                                        .ops_info = Text(options, "ops_info")},
                                       "quantize")
                             .target;
  const FoundLibrary found = FindLibrary(target);
  if (!found.warning.empty()) {
    Warn(found.warning);
  }
  target.ops_info = found.ops_info;
  return target;
}

MeasureSettings MeasureSettingsOf(const py::dict& options) {
  MeasureSettings settings;
  settings.threads = ThreadsOf(options);
  settings.seed = SeedOf(options, settings.seed);
  const double factor =
      Number(options, "latency_budget", settings.full_budget_s, limits::kLatencyBudgetRange) /
      settings.full_budget_s;
  settings.full_budget_s *= factor;
  settings.quick_budget_s *= factor;
  settings.on.runtime = Text(options, "measure");
  settings.metric.metric = Text(options, "metric");
  settings.metric.better = Text(options, "metric_better");
  settings.metric.timeout_s =
      Number(options, "metric_timeout", settings.metric.timeout_s, limits::kProgramSecondsRange);
  if (options.contains("metric_function") && !options["metric_function"].is_none()) {
    settings.metric.function = MetricFunctionOf(options["metric_function"]);
  }
  return settings;
}

Configuration ConfigurationOf(const py::dict& options) {
  Configuration configuration;
  configuration.point = Text(options, "point");
  configuration.target = configuration.point.empty()
                             ? TargetOptionsOf(options)
                             : TargetOptions{.soc_version = Text(options, "soc_version"),
                                             .ops_info = Text(options, "ops_info")};
  for (const PrecisionArgument& row : kPrecisionArguments) {
    configuration.precision.*row.text = Text(options, row.name);
  }
  configuration.bank = Text(options, "from_bank");
  configuration.select = Text(options, "select");
  configuration.input_shape = Text(options, "input_shape");
  configuration.fusion_switch_file = Text(options, "fusion_switch_file");
  return configuration;
}

}  // namespace halftone
