// The knowledge base of a tuning run, and what it knows of the machine.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "knowledge_base/store.h"
#include "search/operators/format_times.h"
#include "src/api/tune/network_at_shapes.h"
#include "src/api/tune_callbacks.h"
#include "src/base/time_budget.h"

namespace halftone {

struct BankSession {
  std::unique_ptr<TrialStore> store;  // null: no knowledge base
  std::filesystem::path database;     // its file; empty: no knowledge base

  // The store, or one in memory that ends with the run: timings of kernels need a store.
  [[nodiscard]] TrialStore& kernels() const { return store != nullptr ? *store : *memory; }

  std::unique_ptr<TrialStore> memory;  // null beside `store`
};

// Takes what TuneOptions::seed_bank holds, then opens or creates TuneOptions::bank. Error
// kDatabase.
BankSession OpenBank(const NetworkAtShapes& network, const TuneOptions& options, int threads,
                     const TuneCallbacks& callbacks);

// Speed of the number formats on this machine, by its profile.
struct FormatSpeeds {
  std::vector<FormatTime> times;      // empty: unknown
  std::optional<ScaledSpeed> scaled;  // of int8; empty: unknown, or not asked
};

// Measures the speed of int8 where nothing else decides whether 8 bits are searched, and stores it.
// `measure`: false reads the stored speeds alone.
FormatSpeeds SpeedsFor(const NetworkAtShapes& network, const TuneOptions& options,
                       const Dataset& samples, const BankSession& bank, int threads, bool measure,
                       TimeBudget& budget);

}  // namespace halftone
