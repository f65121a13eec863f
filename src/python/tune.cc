#include "halftone/tune.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "halftone/error.h"
#include "halftone/metric.h"
#include "halftone/precision.h"
#include "halftone/ranges.h"
#include "halftone/words.h"
#include "src/python/arrays.h"
#include "src/python/functions.h"
#include "src/python/gil.h"
#include "src/python/options.h"
#include "src/python/progress.h"

namespace py = pybind11;

namespace halftone {
namespace {

// The outputs of all samples of one output: stacked along the first axis (scalars along a new one);
// where samples have outputs of different shapes, a list of arrays.
py::object Stacked(const std::vector<std::vector<Tensor>>& by_sample, std::size_t output) {
  const TensorType& type = by_sample.front()[output].type();
  const bool equal = std::ranges::all_of(
      by_sample, [&](const std::vector<Tensor>& sample) { return sample[output].type() == type; });
  if (!equal) {
    py::list arrays;
    for (const std::vector<Tensor>& sample : by_sample) {
      arrays.append(Call(ArrayOf(sample[output]).attr("copy")));  // the metric may write to it
    }
    return arrays;
  }
  const auto count = static_cast<std::int64_t>(by_sample.size());
  std::vector<std::int64_t> dims(type.shape.dims().begin(), type.shape.dims().end());
  if (dims.empty()) {
    dims.push_back(count);
  } else {
    dims[0] *= count;
  }
  Tensor stacked(type.dtype, Shape(std::move(dims)));
  std::byte* target = stacked.mutable_data();
  for (const std::vector<Tensor>& sample : by_sample) {
    const auto bytes = sample[output].bytes();
    target = std::ranges::copy(bytes, target).out;
  }
  return ArrayOf(std::move(stacked));
}

py::dict ByName(const JudgedOutputs& judged, const std::vector<std::vector<Tensor>>& by_sample) {
  py::dict outputs;
  for (std::size_t i = 0; i < judged.outputs.size(); ++i) {
    outputs[py::str(judged.outputs[i])] = Stacked(by_sample, i);
  }
  return outputs;
}

// int64 [samples], or [samples, labels of each]; None without labels.
py::object LabelsOf(const JudgedOutputs& judged) {
  const Labels& labels = judged.labels;
  if (labels.empty()) {
    return py::none();
  }
  const auto count = static_cast<std::int64_t>(labels.size());
  const auto each = static_cast<std::int64_t>(labels[0].size());
  Tensor values(DType::kInt64, each == 1 ? Shape({count}) : Shape({count, each}));
  const auto target = values.mutable_values<std::int64_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    std::ranges::copy(labels[static_cast<std::size_t>(i)], target.subspan(i * each).begin());
  }
  return ArrayOf(std::move(values));
}

QuantizeOptions QuantizeOptionsOf(const py::dict& options, const py::object& calibration) {
  QuantizeOptions quantize;
  quantize.mode =
      ParseQuantize(Text(options, "quantize"), TargetOptionsOf(options), "quantize").mode;
  quantize.method = Get(options, "calibration_method", quantize.method);
  CheckCalibrationMethod(quantize.method);
  if (const std::string text = Text(options, "bias_correction"); !text.empty()) {
    quantize.bias_correction = ParseBiasCorrection(text, "bias_correction");
  }
  if (!calibration.is_none()) {
    quantize.calibration = DataOptionsOf(calibration.cast<py::dict>());
  }
  if (const std::string scales = Text(options, "quantization"); !scales.empty()) {
    if (quantize.calibration) {
      throw Error(ErrorKind::kUsage,
                  "quantization gives the scales that calibration_inputs would give: leave one of "
                  "them out");
    }
    quantize.given = LoadScales(scales);
  }
  return quantize;
}

std::optional<double> NumberIfGiven(const py::dict& options, const char* key,
                                    const RealRange& range) {
  return options.contains(key) && !options[key].is_none()
             ? std::optional(Number(options, key, 0, range))
             : std::nullopt;
}

void SetLimits(const py::dict& options, TuneOptions& tune) {
  if (const std::string budget = Text(options, "budget"); !budget.empty()) {
    tune.budget = ParseBudget(budget);
    tune.spend_budget = true;
    tune.max_trials = kNoLimitOfPlans;
  } else {
    tune.budget = ParseBudget(kDefaultBudget);
  }
  if (options.contains("max_trials") && !options["max_trials"].is_none()) {
    tune.max_trials =
        static_cast<std::size_t>(Number(options, "max_trials", 1, limits::kPositiveCountRange));
  }
}

TuneOptions TuneOptionsOf(const py::dict& options, const py::dict& data, const py::object& heldout,
                          const py::object& calibration) {
  TuneOptions tune;
  tune.target = TargetOptionsOf(options);
  tune.data = DataOptionsOf(data);
  if (!heldout.is_none()) {
    tune.heldout = DataOptionsOf(heldout.cast<py::dict>());
  }
  tune.heldout_share = NumberIfGiven(options, "heldout_share", limits::kHeldoutShareRange);
  tune.measure = MeasureSettingsOf(options);
  tune.seed = tune.measure.seed;
  tune.quantize = QuantizeOptionsOf(options, calibration);
  tune.strategy = Text(options, "strategy");
  tune.constraints = ParseGoal(Get<std::string>(options, "goal", "front"), {});
  if (const std::string confidence = Text(options, "confidence"); !confidence.empty()) {
    tune.confidence = ParseConfidence(confidence);
  }
  SetLimits(options, tune);
  tune.search_again = Get(options, "search_again", false);
  tune.verify = Get(options, "verify", false);
  tune.modes = Get(options, "modes", tune.modes);
  for (const std::string& mode : tune.modes) {
    ReadPrecisionOptions({.precision_mode = mode}, tune.target);
  }
  if (const std::string pinned = Text(options, "keep_dtype"); !pinned.empty()) {
    tune.pinned_keep_dtype = ReadKeepDtype(pinned, tune.target);
  }
  tune.shape_weights = Get(options, "shape_weights", tune.shape_weights);
  if (const std::string text = Text(options, "operator_tuning"); !text.empty()) {
    tune.operator_tuning = ParseOperatorTuning(text, "operator_tuning");
  }
  tune.operator_budget_s = NumberIfGiven(options, "operator_budget", limits::kOperatorBudgetRange);
  tune.bank = Text(options, "bank");
  tune.output = Text(options, "output");
  tune.write_v2 = Get(options, "write_v2", false);
  tune.load_profile = Text(options, "load_profile");
  tune.command = Text(options, "command");
  CheckTuneOptions(tune);
  return tune;
}

py::dict TuneModel(const py::dict& options, const py::dict& data, const py::object& heldout,
                   const py::object& calibration, const py::object& on_event) {
  const TuneOptions tune = TuneOptionsOf(options, data, heldout, calibration);
  const ModelOptions model = WithFusionSwitches(ModelOptionsOf(options, tune.data), options);
  std::vector<std::string> shapes =
      Get<std::vector<std::string>>(options, "input_shapes", std::vector<std::string>());
  RunProgress progress(on_event);
  TuneResult tuned;
  progress.Watch([&] { tuned = Tune(model, tune, progress.Hooks(), std::move(shapes)); });
  py::dict result;
  result["notes"] = tuned.notes;
  result["interrupted"] = progress.stopped();
  result["signal"] = progress.signal();
  return result;
}

}  // namespace

void DefineTune(py::module_& module) {
  py::class_<JudgedOutputs>(module, "JudgedOutputs")
      // Without outputs pybind11 would give it memory that nothing has set.
      .def_static("__new__",
                  [](const py::args&, const py::kwargs&) -> py::object {
                    throw py::type_error(
                        "JudgedOutputs is made by halftone.tune() for its metric, and by nobody "
                        "else");
                  })
      .def_readonly("samples", &JudgedOutputs::samples)
      .def("values", [](const JudgedOutputs& judged) { return ByName(judged, judged.values); })
      .def("references",
           [](const JudgedOutputs& judged) { return ByName(judged, judged.references); })
      .def("labels", &LabelsOf);
  module.def("tune", [](const py::dict& options, const py::dict& data, const py::object& heldout,
                        const py::object& calibration, const py::object& on_event) {
    return WithShapeWords([&] { return TuneModel(options, data, heldout, calibration, on_event); });
  });
  module.def("in_words_of_shapes", [](const std::string& sentence) {
    return InWordsOf(Language::kPythonShapes, sentence);
  });
}

}  // namespace halftone
