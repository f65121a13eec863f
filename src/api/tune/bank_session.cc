#include "src/api/tune/bank_session.h"

#include <utility>

#include "knowledge_base/sqlite_store.h"
#include "src/api/bank/seed_bank.h"
#include "src/api/bank/stored_profile.h"
#include "src/api/bank/workload.h"
#include "src/api/tune/calibration.h"

namespace halftone {

BankSession OpenBank(const NetworkAtShapes& network, const TuneOptions& options, int threads,
                     const TuneCallbacks& callbacks) {
  if (!options.seed_bank.empty()) {
    const std::string taken = TakeFromSeedBank(network.profiles, options.seed_bank, options.bank,
                                               network.target.name, threads);
    if (callbacks.on_seed_bank) {
      callbacks.on_seed_bank(taken);
    }
  }
  if (options.bank.empty()) {
    return {.store = nullptr, .database = {}, .memory = MakeMemoryStore()};
  }
  std::filesystem::path database = DatabasePath(options.bank, network.target.name);
  std::unique_ptr<TrialStore> store = OpenSqliteStore(database, OpenMode::kReadWrite);
  return {.store = std::move(store), .database = std::move(database), .memory = nullptr};
}

FormatSpeeds SpeedsFor(const NetworkAtShapes& network, const TuneOptions& options,
                       const Dataset& samples, const BankSession& bank, int threads, bool measure,
                       TimeBudget& budget) {
  const PhaseScope scope(budget, BudgetPhase::kKernels);
  const TargetSpec& target = network.target;
  FormatSpeeds speeds;
  if (target.is_host() && options.measure.on.runtime.empty() && bank.store != nullptr) {
    speeds.times = StoredFormatTimes(threads, *bank.store);
  }
  if (options.operator_tuning == OperatorTuningMode::kOff || !target.is_host() ||
      options.quantize.mode ||
      QuantizeModeFor(options, target, samples, {}) == QuantizeMode::kOff ||
      (!measure && speeds.times.empty())) {
    return speeds;
  }
  speeds.scaled = StoredScaledSpeed(target, ThreadPool(threads), options.seed, bank.kernels());
  speeds.times = StoredFormatTimes(threads, bank.kernels());
  return speeds;
}

}  // namespace halftone
