// Goal of a search: bounds on its result, how sure they are to hold, the cost of the search, and
// gates that fail a build.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// Bounds that the user demands of a configuration; empty: not demanded.
struct Constraints {
  std::optional<double> min_sqnr_db;        // mean over the samples, at least; or min_sqnr_db_share
  std::optional<double> max_rel_l2;         // mean over the samples, at most; or max_rel_l2_share
  std::optional<double> max_top1_drop;      // fraction: fp32 top-1 minus candidate's, at most
  std::optional<double> min_agreement;      // share of equal elements of discrete outputs, mean
  std::optional<double> max_latency_ratio;  // candidate / fp32, at most
  // Share of the samples, in (0, 1), that must each meet the bound; it replaces the mean over the
  // samples.
  std::optional<double> min_sqnr_db_share = {};
  std::optional<double> max_rel_l2_share = {};
  std::optional<double> min_metric = {};  // the user's own metric, at least
  std::optional<double> max_metric = {};  // the user's own metric, at most

  [[nodiscard]] bool any() const { return of_accuracy() || max_latency_ratio; }

  [[nodiscard]] bool of_accuracy() const {
    return min_sqnr_db || max_rel_l2 || max_top1_drop || min_agreement || min_metric || max_metric;
  }

  friend bool operator==(const Constraints&, const Constraints&) = default;
};

// "front" (no bound), or bounds by the names of the members: "min_sqnr_db=40",
// "min_sqnr_db=40@95%", "max_top1_drop=0.005, max_latency_ratio=0.8". They join those of `given`.
// Error kUsage: another name, no number, a number that the bound cannot have, a bound that is given
// twice.
Constraints ParseGoal(std::string_view text, const Constraints& given);

// Default of --confidence: the least probability with which a promised bound holds.
inline constexpr double kPromiseConfidence = 0.95;

// Range of --confidence.
inline constexpr double kLeastConfidence = 0.5;
inline constexpr double kMostConfidence = 0.999;

// "0.95"; "none" is empty: bounds are met on the samples, and nothing is promised of others. Error
// kUsage: anything else.
std::optional<double> ParseConfidence(std::string_view text);

// The text that ParseConfidence() reads.
std::string ConfidenceText(const std::optional<double>& confidence);

// Error kUsage: a confidence out of range.
void CheckConfidence(const std::optional<double>& confidence);

// A limit on plans that no search reaches.
inline constexpr std::size_t kNoLimitOfPlans = std::numeric_limits<std::size_t>::max();

struct Budget {
  // Measured plans; probes count as the plans that would take as many runs.
  std::optional<std::size_t> evaluations;
  std::optional<std::chrono::duration<double>> time;
};

// The budget of a search without any other limit.
inline constexpr std::string_view kDefaultBudget = "10min";

// "120" (evaluations), "90s", "10min", "2h". Error kUsage: anything else, or nothing.
Budget ParseBudget(std::string_view text);

// A gate of continuous integration (--fail_if): "sqnr_db<40" fails when the chosen point has less.
enum class GateComparison : std::uint8_t { kLess, kAtMost, kMore, kAtLeast };

// Fails when `quantity` satisfies the comparison.
struct Gate {
  std::string text;      // "sqnr_db<40"
  std::string quantity;  // a name of GateQuantities(), perhaps with a prefix of them
  GateComparison comparison = GateComparison::kLess;
  double limit = 0;

  friend bool operator==(const Gate&, const Gate&) = default;
};

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

}  // namespace halftone
