#include "src/api/tune/bank_session.h"

#include <utility>

#include "knowledge_base/sqlite_store.h"
#include "src/api/bank/seed_bank.h"
#include "src/api/bank/workload.h"

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

}  // namespace halftone
