#include "src/api/tune/try_metric.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "search/measure/network_measurer.h"
#include "src/base/error.h"
#include "src/base/hash.h"

namespace halftone {
namespace {

// True if the bank has a measurement of the network by the metric of this name.
bool HasMetric(TrialStore& store, const Hash128& model_hash, const std::string& name) {
  return std::ranges::any_of(store.Workloads(), [&](const WorkloadSummary& known) {
    return known.workload.model_hash == model_hash &&
           std::ranges::any_of(store.Trials(known.key), [&](const StoredTrial& stored) {
             const Measurement* measurement = stored.trial.measurement();
             return measurement != nullptr && measurement->accuracy.Find(name) != nullptr;
           });
  });
}

}  // namespace

void TryMetric(const Model& model, const Dataset& samples, const LossMetric& metric, int threads,
               TrialStore* store) {
  if ((metric.command.empty() && metric.function == nullptr) ||
      (store != nullptr && HasMetric(*store, model.hash, metric.name))) {
    return;
  }
  const MeasureOptions options{.threads = threads, .metric = metric};
  const auto judge = [&](const Dataset& judged) {
    const NetworkMeasurer measurer(model.graph, judged, options);
  };
  constexpr std::array<std::size_t, 1> kFirst = {0};
  try {
    judge(samples.Part(kFirst));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kUsage || samples.size() == 1) {
      throw;
    }
    judge(samples);
  } catch (...) {  // what a function throws
    if (samples.size() == 1) {
      throw;
    }
    judge(samples);
  }
}

}  // namespace halftone
