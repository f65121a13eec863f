// Knowledge base of a tuning run.
#pragma once

#include <filesystem>
#include <memory>

#include "knowledge_base/store.h"
#include "src/api/tune/network_at_shapes.h"
#include "src/api/tune_callbacks.h"

namespace halftone {

// Knowledge base of a run, and the store of its kernel timings.
struct BankSession {
  // Store, or one in memory that ends with the run: timings of kernels need a store.
  [[nodiscard]] TrialStore& kernels() const { return store != nullptr ? *store : *memory; }

  std::unique_ptr<TrialStore> store;   // null: no knowledge base
  std::filesystem::path database;      // its file; empty: no knowledge base
  std::unique_ptr<TrialStore> memory;  // null beside `store`
};

// Takes what TuneOptions::seed_bank holds, then opens or creates TuneOptions::bank. Error
// kDatabase.
BankSession OpenBank(const NetworkAtShapes& network, const TuneOptions& options, int threads,
                     const TuneCallbacks& callbacks);

}  // namespace halftone
