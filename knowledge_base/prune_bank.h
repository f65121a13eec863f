// Pruning: removes selected content from a bank.
//
// Content that no option selects stays. Removal is final: `tune` measures it again when a search
// proposes it. The trials that a front names go only together with it.
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

// Predicates for workloads, timings, profiles and calibrations that were measured with the current
// kernels.
struct CurrentMeasurements {
  std::function<bool(const Workload&)> workload;
  std::function<bool(const KernelVersion&, std::string_view signature)> timing;
  std::function<bool(const KernelVersion&, std::string_view op)> profile;
  std::function<bool(const KernelVersion&, std::string_view operators)> calibration;
};

struct PruneOptions {
  // Selects workloads, timings and profiles of operators, and calibrations, that were measured with
  // other kernels than these.
  std::optional<CurrentMeasurements> other_than;
  // Selects workloads without additions since this time ("2026-01-31T12:00:00.000Z"), and older
  // calibrations of networks of which no workload stays.
  std::optional<std::string> before;
  // Number of workloads that stay in any case, per network (weights, shapes, target), by latest
  // addition. Selects all others when neither of the two above is given.
  std::optional<std::int64_t> keep_newest;
  // Selects, in workloads that stay: fronts but the newest; trials, sensitivities, timings,
  // profiles and calibrations that were recorded again later, unless a front that stays names them.
  bool superseded = false;
  // Selects, in workloads that stay: trials that a member of the newest front beats in loss, and in
  // latency with both intervals apart.
  bool dominated = false;
  bool dry_run = false;
  bool shrink = true;  // return the freed space (VACUUM): needs as much again on the disk

  [[nodiscard]] bool selects_anything() const {
    return other_than || before || keep_newest || superseded || dominated;
  }
};

struct PruneResult {
  std::vector<WorkloadSummary> workloads;  // removed with everything that belongs to them
  // Rows removed from the other workloads.
  std::int64_t fronts = 0;
  std::int64_t trials = 0;
  std::int64_t sensitivities = 0;
  std::int64_t timings = 0;
  std::int64_t profiles = 0;
  std::int64_t calibrations = 0;
  std::uintmax_t bytes_before = 0;  // size of the file
  std::uintmax_t bytes_after = 0;   // as before in a dry run

  [[nodiscard]] bool nothing() const {
    return workloads.empty() &&
           fronts + trials + sensitivities + timings + profiles + calibrations == 0;
  }
};

// Prunes in one transaction: an error leaves the bank as it was. A dry run reads only, and returns
// what would go. Errors as OpenSqliteStore().
PruneResult PruneBank(const std::filesystem::path& database, const PruneOptions& options);

}  // namespace halftone
