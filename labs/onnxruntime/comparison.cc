#include "labs/onnxruntime/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernels/parallel.h"
#include "labs/onnxruntime/machine_load.h"
#include "labs/onnxruntime/our_network.h"
#include "labs/onnxruntime/profile.h"
#include "labs/onnxruntime/runtime_session.h"
#include "labs/onnxruntime/turns.h"
#include "src/base/error.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

PrecisionOptions PrecisionOf(const Model& model, const std::string& name,
                             const ComparisonOptions& options) {
  if (options.plan != nullptr) {
    return options.plan->options();
  }
  return PointPrecision(model, options.tuned / name);
}

std::variant<Compared, NotCompared> Compare(const OrtApi& api, const std::string& name,
                                            const fs::path& folder,
                                            const ComparisonOptions& options) {
  const std::string samples = SamplesOf(folder);
  const ConstantWeights weights = LoadWeights(folder, options.seed, options.dimensions);
  const Model model = By("halftone", [&] { return LoadOurs(weights, folder); });
  if (!options.save.empty()) {
    WriteNetwork(options.save / name, weights);
  }
  const PrecisionOptions precision =
      By("halftone", [&] { return PrecisionOf(model, name, options); });

  Compared compared{.input_shapes = model.input_shapes,
                    .random_weights = weights.random_weights > 0};
  std::optional<PeerModel> peer;
  const MachineLoad load;
  for (const int threads : kThreadCounts) {
    Ours ours = By("halftone", [&] {
      return Ours(model, samples, precision,
                  ChooseKernels(model, samples, precision, threads, options.kernels), options.seed);
    });
    if (!peer) {
      peer = By("ONNX Runtime", [&] {
        return MakePeerModel(api, weights.model, ours.inputs_by_name, options.peer);
      });
    }
    const ThreadPool pool(threads);
    const auto run_ours = [&] { pool.Run([&] { ours.Run(); }); };
    RuntimeSession theirs = By("ONNX Runtime", [&] {
      RuntimeSession session(api, peer->bytes, {.threads = threads}, ours.inputs_by_name);
      session.Run();
      return session;
    });
    run_ours();
    compared.rel_l2 = std::max(compared.rel_l2, WorstRelativeError(peer->references, ours.outputs));
    compared.peer_rel_l2 =
        std::max(compared.peer_rel_l2, WorstRelativeError(peer->references, theirs.Outputs()));
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
                       ProfileRuntime(api, peer->bytes, ours.inputs_by_name, profile), profile));
    }
  }
  compared.other_cores = load.OtherCores();
  return compared;
}

}  // namespace

ComparedNetwork CompareNetwork(const OrtApi& api, const std::string& name, const fs::path& folder,
                               const ComparisonOptions& options) {
  try {
    return {name, Compare(api, name, folder, options)};
  } catch (const Error& error) {
    return {name, NotCompared{.reason = error.what()}};
  }
}

}  // namespace halftone
