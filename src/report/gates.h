// Gates of continuous integration (--fail_if): "sqnr_db<40" fails when the chosen point has less.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/trial/certify.h"
#include "search/trial/constraints.h"
#include "search/trial/trial.h"
#include "src/accuracy/metrics.h"

namespace halftone {

struct Graph;
struct MetricSummary;
struct TuneSummary;

enum class GateComparison : std::uint8_t { kLess, kAtMost, kMore, kAtLeast };

// Fails when `quantity` satisfies the comparison.
struct Gate {
  std::string text;      // "sqnr_db<40"
  std::string quantity;  // a name of GateQuantities(), perhaps with a prefix of them
  GateComparison comparison = GateComparison::kLess;
  double limit = 0;

  friend bool operator==(const Gate&, const Gate&) = default;
};

struct GateResult {
  Gate gate;
  bool passed = false;
  // Sentences without a full stop.
  std::string expected;  // "sqnr_db of at least 40"
  std::string found;     // "38.25 on held-out samples", "no point that meets the bounds"
  std::string point;     // "point 2: force_fp16", empty when there is none
};

// "gate sqnr_db<40: failed; expected ..., found ..."; `state` stands for passed or failed.
std::string GateLine(const GateResult& result, std::string_view state);

// Names of the quantities: latency_ratio, speed_up, latency_ms, peak_arena_bytes, top1_drop, metric
// (the value of --metric) and metric_drop (by how much it is worse than that of float32), and every
// metric by its name (the mean over the samples) and with _worst behind it (the worst sample).
//
// Accuracy is that on held-out samples where there are any, else on those of the search. A prefix
// names the samples: heldout_sqnr_db, search_sqnr_db. The prefix promised_ stands before the
// quantity of a bound and means the limit that is promised for new samples: promised_sqnr_db for
// --min_sqnr_db.
std::vector<std::string> GateQuantities();

// NAME<NUMBER, NAME<=NUMBER, NAME>NUMBER or NAME>=NUMBER, blanks around each. Error kUsage.
Gate ParseGate(std::string_view text);

// Facts that the options of a run give to gates.
struct GateFacts {
  bool has_labels = false;
  bool has_metric = false;                   // --metric
  const Constraints* constraints = nullptr;  // null: not known yet
};

// Error kUsage for a gate that needs labels, a metric or a bound where there is none.
void CheckGates(std::span<const Gate> gates, const GateFacts& facts);

// Error kUsage: a metric of floating outputs, or of others, and the network has none of that sort.
void CheckGateOutputs(std::span<const Gate> gates, const Graph& graph);

// A configuration, and what is known of it. Null: not known, or there is none.
struct GatedPoint {
  std::string name;                          // "point 2: force_fp16"
  const Measurement* measurement = nullptr;  // null: it does not run
  const Accuracy* heldout = nullptr;
  const Certificate* certificate = nullptr;
  const MetricSummary* metric = nullptr;  // of --metric
  // Top-1 of float32, with labels.
  std::optional<double> reference_top1 = {};  // on the samples of the search
  std::optional<double> heldout_top1 = {};
};

// A gate on a quantity that is not known fails.
std::vector<GateResult> JudgeGates(std::span<const Gate> gates, const GatedPoint& point);

// Results for the chosen point; without one, all fail.
std::vector<GateResult> JudgeGates(std::span<const Gate> gates, const TuneSummary& summary);

}  // namespace halftone
