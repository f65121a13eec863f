#include "bench/onnxruntime/comparison.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/onnxruntime/constant_weights.h"
#include "bench/onnxruntime/machine_load.h"
#include "bench/onnxruntime/profile.h"
#include "bench/onnxruntime/runtime_session.h"
#include "bench/onnxruntime/turns.h"
#include "kernels/parallel.h"
#include "src/accuracy/metrics.h"
#include "src/api/halftone.h"
#include "src/api/options/point.h"
#include "src/api/options/read_precision.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/exec/executable.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// A folder with model.onnx that goes when the object goes.
class TemporaryModel {
 public:
  explicit TemporaryModel(std::string_view bytes)
      : folder_(fs::temp_directory_path() / fmt::format("halftone_vs_onnxruntime.{}", getpid())) {
    CreateFolder(folder_);
    WriteFileAtomically(folder_ / "model.onnx", bytes);
  }

  ~TemporaryModel() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  TemporaryModel(const TemporaryModel&) = delete;
  TemporaryModel& operator=(const TemporaryModel&) = delete;

  [[nodiscard]] const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

// The network as halftone runs it, with a sample.
struct Ours {
  Ours(const Model& model, const std::string& data, const PrecisionOptions& precision,
       std::uint64_t seed)
      : executable(
            Compile(model.graph, ResolvePrecision(model.graph, precision, LoadTarget("host")))),
        workspace(executable.NewWorkspace()),
        outputs(executable.NewOutputs()) {
    const Dataset dataset = LoadDataset(
        model.graph, {.inputs = data, .max_samples = 1, .generated_samples = 1, .seed = seed});
    inputs = executable.ConvertInputs(dataset.Read(0).inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      inputs_by_name.emplace(model.graph.value(model.graph.inputs[i]).name, inputs[i]);
    }
  }

  Executable executable;
  Workspace workspace;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::map<std::string, Tensor> inputs_by_name;
};

PrecisionOptions PrecisionOf(const Model& model, const std::string& name,
                             const ComparisonOptions& options) {
  if (options.plan != nullptr) {
    return options.plan->options();
  }
  const Point point = ReadPoint(options.tuned / name);
  if (!point.arguments.fusion_switch_file.empty()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("expected an option set of precision only, '{}' names the fusion "
                            "switches '{}'",
                            point.folder.string(), point.arguments.fusion_switch_file));
  }
  const TargetSpec target = LoadTarget(point.arguments.target);
  if (!target.is_host()) {
    throw Error(ErrorKind::kUnsupported, fmt::format("expected a point of host, '{}' is of {}",
                                                     point.folder.string(), target.name));
  }
  PrecisionOptions precision = ReadPrecision(point.arguments.precision, target).options;
  CheckPoint(point, model, target, precision);
  return precision;
}

Model LoadOurs(const ConstantWeights& weights, const fs::path& folder, const std::string& data) {
  if (!weights.is_another_network()) {
    return LoadModel({.path = folder, .inputs = data});
  }
  const TemporaryModel written(weights.model);
  return LoadModel({.path = written.folder(), .inputs = data});
}

double RelativeError(const Tensor& reference, const Tensor& actual) {
  if (reference.shape() != actual.shape()) {
    return std::numeric_limits<double>::infinity();
  }
  const OutputSums sums = SumsOf(reference, actual);
  if (sums.broken) {
    return std::numeric_limits<double>::infinity();
  }
  const double error = std::sqrt(sums.error_power);
  return sums.reference_power > 0 ? error / std::sqrt(sums.reference_power) : error;
}

double WorstRelativeError(const std::vector<Tensor>& references,
                          const std::vector<Tensor>& actuals) {
  if (references.size() != actuals.size()) {
    return std::numeric_limits<double>::infinity();
  }
  double worst = 0;
  for (std::size_t i = 0; i < references.size(); ++i) {
    worst = std::max(worst, RelativeError(references[i], actuals[i]));
  }
  return worst;
}

// Errors of the body say whose they are.
template <typename Body>
decltype(auto) By(std::string_view who, const Body& body) {
  return WithContext([&] { return std::string(who); }, body);
}

std::variant<Compared, NotCompared> Compare(const RuntimeApi& api, const std::string& name,
                                            const fs::path& folder,
                                            const ComparisonOptions& options) {
  const bool has_data = fs::is_directory(folder / "test_data_set_0");
  const std::string data = has_data ? folder.string() : "";
  ConstantWeightsOptions weight_options{.random_weights = !has_data, .seed = options.seed};
  if (!has_data) {
    weight_options.dimensions = options.dimensions;
  }
  const ConstantWeights weights =
      MakeWeightsConstant(ReadFile(folder / "model.onnx"), weight_options);
  const Model model = By("halftone", [&] { return LoadOurs(weights, folder, data); });
  if (!options.save.empty()) {
    CreateFolder(options.save / name);
    WriteFileAtomically(options.save / name / "model.onnx", weights.model);
  }
  Ours ours = By("halftone", [&] {
    return Ours(model, data, PrecisionOf(model, name, options), options.seed);
  });

  Compared compared{.input_shapes = model.input_shapes,
                    .random_weights = weights.random_weights > 0};
  const PeerModel peer = By("ONNX Runtime", [&] {
    return MakePeerModel(api, weights.model, ours.inputs_by_name, options.peer);
  });
  const MachineLoad load;
  for (const int threads : kThreadCounts) {
    const ThreadPool pool(threads);
    const auto run_ours = [&] {
      pool.Run([&] { ours.executable.Run(ours.workspace, ours.inputs, ours.outputs); });
    };
    RuntimeSession theirs = By("ONNX Runtime", [&] {
      RuntimeSession session(api, peer.bytes, {.threads = threads}, ours.inputs_by_name);
      session.Run();
      return session;
    });
    run_ours();
    compared.rel_l2 = std::max(compared.rel_l2, WorstRelativeError(peer.references, ours.outputs));
    compared.peer_rel_l2 =
        std::max(compared.peer_rel_l2, WorstRelativeError(peer.references, theirs.Outputs()));
    if (!(compared.rel_l2 <= kMostRelL2) && options.plan == &ComparedPlans().front()) {
      return NotCompared{.disagrees = true,
                         .reason = fmt::format("the outputs disagree: relative L2 error {:.2g}, "
                                               "expected at most {:.2g}",
                                               compared.rel_l2, kMostRelL2)};
    }
    compared.latencies.push_back(
        TimeInTurns(run_ours, [&] { theirs.Run(); },
                    {.budget_s = options.budget_s / static_cast<double>(std::size(kThreadCounts)),
                     .threads = threads,
                     .seed = options.seed}));
    if (options.profiled_nodes > 0) {
      const ProfileOptions profile{.threads = threads, .nodes = options.profiled_nodes};
      compared.profiles.push_back(
          ProfileTable(model.graph, ours.executable, ours.inputs,
                       ProfileRuntime(api, peer.bytes, ours.inputs_by_name, profile), profile));
    }
  }
  compared.other_cores = load.OtherCores();
  return compared;
}

}  // namespace

ComparedNetwork CompareNetwork(const RuntimeApi& api, const std::string& name,
                               const fs::path& folder, const ComparisonOptions& options) {
  try {
    return {name, Compare(api, name, folder, options)};
  } catch (const Error& error) {
    return {name, NotCompared{.reason = error.what()}};
  }
}

}  // namespace halftone
