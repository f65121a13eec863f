// Accuracy of uniform plans, and of a network that another program quantised.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>

#include "labs/int8_acceptance/acceptance_parts.h"
#include "search/measure/network_measurer.h"
#include "src/accuracy/metrics.h"
#include "src/api/halftone.h"
#include "src/base/error.h"

namespace halftone {
namespace {

nlohmann::json AccuracyJson(const Decisions& decisions, const UniformPlan& uniform,
                            const NetworkMeasurer& measurer) {
  nlohmann::json json = {{"groups", QuantizedGroups(decisions, uniform)}};
  std::variant<Accuracy, Rejection> outcome = Rejection{};
  try {
    outcome = measurer.MeasureAccuracy(PlanOf(decisions, uniform));
  } catch (const Error& error) {
    outcome = Rejection{error.what()};
  }
  if (const auto* rejection = std::get_if<Rejection>(&outcome)) {
    json["rejected"] = rejection->reason;
    return json;
  }
  const auto& accuracy = std::get<Accuracy>(outcome);
  for (const MetricValue& metric : accuracy.metrics) {
    json[metric.name] = metric.mean;
  }
  if (accuracy.flips) {
    json["flipped"] = accuracy.flips->flipped;
    json["rows"] = accuracy.flips->rows;
  }
  return json;
}

}  // namespace

std::string AccuracyFigures(const std::filesystem::path& folder, const PartOptions& options) {
  const MeasuredNetwork network = LoadMeasured(folder, options.samples);
  const Graph& graph = network.model.graph;
  const TargetSpec target = LoadTarget("host");
  const NetworkMeasurer measurer(graph, network.samples, AccuracyAlone(options.threads));
  nlohmann::json json = {{"samples", network.samples.size()},
                         {"calibration_samples", network.calibration.size()},
                         {"flatters", network.flatters}};
  if (measurer.reference_top1()) {
    json["float32_top1"] = *measurer.reference_top1();
  }
  for (const bool correct_bias : {true, false}) {
    const SampleScales scales =
        CalibratedScales(graph, network.calibration, correct_bias, options.threads);
    const Decisions decisions = DecisionsWith(graph, target, scales.quantization);
    json["groups"] = decisions.groups().size();
    nlohmann::json& plans = json[correct_bias ? "plans" : "plans_without_bias_correction"];
    for (const UniformPlan& uniform : Int8Plans()) {
      plans[uniform.name] = AccuracyJson(decisions, uniform, measurer);
    }
    if (correct_bias) {
      json["calibration_s"] = scales.seconds;
      for (const UniformPlan& uniform : SixteenBitPlans()) {
        plans[uniform.name] = AccuracyJson(decisions, uniform, measurer);
      }
    }
  }
  return json.dump();
}

std::string RivalFigures(const std::filesystem::path& folder, const std::filesystem::path& rival,
                         const PartOptions& options) {
  const auto load = [](const std::filesystem::path& from, const std::filesystem::path& data) {
    return LoadModel({.path = from / "model.onnx", .inputs = data.string()});
  };
  const Model ours = load(folder, folder);
  const Model theirs = load(rival, folder);
  const Dataset samples = LoadDataset(ours.graph, {.inputs = folder.string(), .labels = {}});
  const ThreadPool pool(options.threads);
  const auto outputs_of = [&](const Model& model, std::size_t sample) {
    const Executable executable = Compile(model.graph, ReferencePlan(model.graph), {});
    Workspace workspace = executable.NewWorkspace();
    std::vector<Tensor> outputs = executable.NewOutputs();
    const std::vector<Tensor> inputs = executable.ConvertInputs(samples.Read(sample).inputs);
    pool.Run([&] { executable.Run(workspace, inputs, outputs); });
    return outputs;
  };
  AccuracyAccumulator accumulator;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::vector<Tensor> reference = outputs_of(ours, i);
    const std::vector<Tensor> actual = outputs_of(theirs, i);
    accumulator.Add({.reference = reference, .actual = actual, .labels = {}});
  }
  const Accuracy accuracy = accumulator.Finish();
  const nlohmann::json json = {{"network", rival.filename().string()},
                               {"samples", samples.size()},
                               {"sqnr_db", accuracy.Mean("sqnr_db")},
                               {"rel_l2", accuracy.Mean("rel_l2")}};
  return json.dump();
}

}  // namespace halftone
