// Takes out of a bank what is not wanted any more.
//
// What no option selects stays. What goes is gone for good: `tune` measures it again when a search
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

// Tells what was measured with the kernels of now.
struct CurrentMeasurements {
  std::function<bool(const Workload&)> workload;
  std::function<bool(const KernelVersion&, std::string_view signature)> timing;
};

struct PruneOptions {
  // Workloads, and timings of operators, that were measured with other kernels than these.
  std::optional<CurrentMeasurements> other_than;
  // Workloads to which nothing was added since this time ("2026-01-31T12:00:00.000Z").
  std::optional<std::string> before;
  // The workloads of each network (weights, shapes, target) to which something was added last: so
  // many stay in any case. When neither of the two above is given, all others go.
  std::optional<std::int64_t> keep_newest;
  // In the workloads that stay: fronts but the newest; trials, sensitivities and timings that were
  // recorded again later, unless a front that stays names them.
  bool superseded = false;
  // In the workloads that stay: trials that a member of the newest front beats in loss, and in
  // latency with both intervals apart.
  bool dominated = false;
  bool dry_run = false;
  bool shrink = true;  // give the freed space back (VACUUM): needs as much again on the disk

  [[nodiscard]] bool selects_anything() const {
    return other_than || before || keep_newest || superseded || dominated;
  }
};

struct PruneResult {
  std::vector<WorkloadSummary> workloads;  // gone with all that belongs to them
  // Gone of the others.
  std::int64_t fronts = 0;
  std::int64_t trials = 0;
  std::int64_t sensitivities = 0;
  std::int64_t timings = 0;
  std::uintmax_t bytes_before = 0;  // of the file
  std::uintmax_t bytes_after = 0;   // as before in a dry run

  [[nodiscard]] bool nothing() const {
    return workloads.empty() && fronts + trials + sensitivities + timings == 0;
  }
};

// In one transaction: an error leaves the bank as it was. A dry run says what would go and only
// reads. Errors as OpenSqliteStore().
PruneResult PruneBank(const std::filesystem::path& database, const PruneOptions& options);

}  // namespace halftone
