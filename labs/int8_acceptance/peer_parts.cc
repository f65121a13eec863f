// Error and speed against int8 of ONNX Runtime.
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kernels/parallel.h"
#include "labs/int8_acceptance/acceptance_parts.h"
#include "labs/onnxruntime/compared_plans.h"
#include "labs/onnxruntime/machine_load.h"
#include "labs/onnxruntime/our_network.h"
#include "labs/onnxruntime/peer_model.h"
#include "labs/onnxruntime/runtime_session.h"
#include "labs/onnxruntime/turns.h"
#include "src/precision/write/plan_writer.h"
#include "src/runtimes/onnxruntime/try_apart.h"

namespace halftone {
namespace {

// Sizes of free dimensions of networks without test data.
const std::map<std::string, std::int64_t> kDimensions = {{"sequence", 128}};

// A network as both programs load it, calibrated on the sample that is measured.
struct PeerNetwork {
  explicit PeerNetwork(const std::filesystem::path& folder)
      : samples(SamplesOf(folder)),
        weights(LoadWeights(folder, 1, kDimensions)),
        model(LoadOurs(weights, folder)),
        target(LoadTarget("host")),
        sample(LoadDataset(
            model.graph,
            {.inputs = samples, .labels = {}, .max_samples = 1, .generated_samples = 1})),
        decisions(DecisionsWith(model.graph, target,
                                CalibratedScales(model.graph, sample, true, 1).quantization)) {}

  [[nodiscard]] PrecisionOptions OptionsOf(const UniformPlan& uniform) const {
    return ConfigurationFor(model.graph, PlanOf(decisions, uniform), target).options;
  }

  std::string samples;
  ConstantWeights weights;
  Model model;
  TargetSpec target;
  Dataset sample;
  Decisions decisions;
};

// Float32 with convolutions by the fastest method.
PrecisionOptions Float32Options() {
  return ComparedPlans().front().options();
}

// The peer's int8 of a network, after a run. Errors as MakePeerModel(), kUnsupported for a crash.
RuntimeSession PeerSession(const OrtApi& api, const PeerModel& peer, const Ours& ours,
                           int threads) {
  const auto load = [&] {
    RuntimeSession session(api, peer.bytes, {.threads = threads}, ours.inputs_by_name);
    session.Run();
    return session;
  };
  if (const int signal = SignalOfCopy([&] { load(); }); signal != 0) {
    throw Error(ErrorKind::kUnsupported,
                "ONNX Runtime ends by a signal when it loads and runs int8 of the network");
  }
  return load();
}

}  // namespace

std::string PeerErrorFigures(const OrtApi& api, const std::filesystem::path& folder,
                             const PartOptions& options) {
  const PeerNetwork network(folder);
  const ThreadPool pool(options.threads);
  const auto run = [&](const PrecisionOptions& precision) {
    Ours ours(network.model, network.samples, precision, KernelChoices(options.threads), 1);
    pool.Run([&] { ours.Run(); });
    return ours;
  };
  const Ours float32 = run(Float32Options());
  nlohmann::json json = {{"random_weights", network.weights.random_weights > 0}};
  for (const UniformPlan& uniform : Int8Plans()) {
    const Ours quantized = run(network.OptionsOf(uniform));
    json["ours"][uniform.name] = WorstRelativeError(float32.outputs, quantized.outputs);
    json["groups"][uniform.name] = QuantizedGroups(network.decisions, uniform);
  }
  try {
    const PeerModel peer =
        MakePeerModel(api, network.weights.model, float32.inputs_by_name, PeerForm::kInt8);
    const RuntimeSession session = PeerSession(api, peer, float32, options.threads);
    json["theirs"] = WorstRelativeError(peer.references, session.Outputs());
  } catch (const Error& error) {
    json["theirs_missing"] = error.what();
  }
  return json.dump();
}

std::string SpeedFigures(const OrtApi& api, const std::filesystem::path& folder,
                         const PartOptions& options) {
  const PeerNetwork network(folder);
  const ThreadPool pool(options.threads);
  const auto make = [&](const PrecisionOptions& precision) {
    auto ours = std::make_unique<Ours>(
        network.model, network.samples, precision,
        ChooseKernels(network.model, network.samples, precision, options.threads, options.kernels),
        1);
    pool.Run([&] { ours->Run(); });
    return ours;
  };
  const std::unique_ptr<Ours> float32 = make(Float32Options());
  std::vector<std::string> names;
  std::vector<std::unique_ptr<Ours>> plans;
  std::vector<std::function<void()>> runs;
  nlohmann::json missing = nlohmann::json::object();
  const auto add = [&](const std::string& name, const auto& make_options) {
    try {
      plans.push_back(make(make_options()));
    } catch (const Error& error) {
      missing[name] = error.what();
      return;
    }
    names.push_back(name);
    runs.emplace_back([&pool, ours = plans.back().get()] { pool.Run([&] { ours->Run(); }); });
  };
  for (const auto& uniforms : {Int8Plans(), SixteenBitPlans()}) {
    for (const UniformPlan& uniform : uniforms) {
      add(uniform.name, [&] { return network.OptionsOf(uniform); });
    }
  }
  for (const std::string_view name : {"f16_fast", "mixed_f16_fast", "mixed_bf16"}) {
    add(std::string(name), FindComparedPlan(name).options);
  }
  std::unique_ptr<RuntimeSession> session;
  try {
    const PeerModel peer =
        MakePeerModel(api, network.weights.model, float32->inputs_by_name, PeerForm::kInt8);
    session = std::make_unique<RuntimeSession>(PeerSession(api, peer, *float32, options.threads));
    names.emplace_back("theirs int8");
    runs.emplace_back([&] { session->Run(); });
  } catch (const Error& error) {
    missing["theirs int8"] = error.what();
  }
  const MachineLoad load;
  const std::vector<Latency> latencies =
      TimeAllInTurns(runs, [&] { pool.Run([&] { float32->Run(); }); },
                     {.budget_s = options.budget_s, .threads = options.threads});
  nlohmann::json json = {{"other_cores", load.OtherCores()},
                         {"random_weights", network.weights.random_weights > 0},
                         {"rounds", latencies.front().anchor_samples_s.size()},
                         {"float32_ms", 1e3 * latencies.front().anchor_median_s},
                         {"missing", missing}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    json["ratio"][names[i]] = latencies[i].ratio;
    json["interval"][names[i]] = {latencies[i].ratio_interval.low,
                                  latencies[i].ratio_interval.high};
  }
  return json.dump();
}

}  // namespace halftone
