// Pruning: deletes selected records of a bank.
//
// A record that no option selects stays. Deletion is final: `tune` measures a deleted plan again
// when a search proposes it. A selected trial stays nevertheless if a front that stays names it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge_base/store.h"

namespace halftone {

// Predicates that are true for records of the current kernels, instruction set, CPU and version of
// the program.
struct CurrentMeasurements {
  std::function<bool(const Workload&)> workload;
  std::function<bool(const KernelVersion&, std::string_view signature)> timing;
  std::function<bool(const KernelVersion&, std::string_view op)> profile;
  std::function<bool(const KernelVersion&, std::string_view operators)> calibration;
};

struct PruneOptions {
  // Selects workloads, operator timings, operator profiles and calibrations for which the
  // predicate is false.
  std::optional<CurrentMeasurements> other_than;
  // Selects workloads to which no trial and no front was added since this time
  // ("2026-01-31T12:00:00.000Z"), and calibrations from before it whose network has no workload
  // that stays.
  std::optional<std::string> before;
  // Number of workloads of each network (weights, shapes, target) that stay in any case: those
  // with the latest additions of trials or fronts. If neither `other_than` nor `before` is given,
  // all other workloads are selected.
  std::optional<std::int64_t> keep_newest;
  // Selects, in workloads that stay, all fronts but the newest, and trials and sensitivities that
  // were recorded again later. Selects, in the whole bank, operator timings and operator profiles
  // that were recorded again later, and calibrations other than the one that counts for their key
  // (TrialStore::AddCalibration()).
  bool superseded = false;
  // Selects, in workloads that stay, trials that a member of the newest front dominates: the loss
  // of the member is no larger, and its interval of the latency ratio lies wholly below that of the
  // trial.
  bool dominated = false;
  bool dry_run = false;  // delete nothing
  bool shrink = true;    // give the freed space back (VACUUM); needs as much again on the disk

  [[nodiscard]] bool selects_anything() const {
    return other_than || before || keep_newest || superseded || dominated;
  }
};

struct PruneResult {
  std::vector<WorkloadSummary> workloads;  // deleted with everything that belongs to them
  // Number of other rows deleted, by kind. Those of the deleted workloads are not counted.
  std::int64_t fronts = 0;
  std::int64_t trials = 0;
  std::int64_t sensitivities = 0;
  std::int64_t timings = 0;
  std::int64_t profiles = 0;
  std::int64_t calibrations = 0;
  std::uintmax_t bytes_before = 0;  // size of the file
  std::uintmax_t bytes_after = 0;   // equals bytes_before after a dry run

  [[nodiscard]] bool nothing() const {
    return workloads.empty() &&
           fronts + trials + sensitivities + timings + profiles + calibrations == 0;
  }
};

// Deletes in one transaction: an error in it leaves the bank as it was. VACUUM runs after that
// transaction; if it fails, the records are deleted all the same. A dry run only reads, and
// returns what would be deleted. Errors as OpenSqliteStore().
PruneResult PruneBank(const std::filesystem::path& database, const PruneOptions& options);

}  // namespace halftone
