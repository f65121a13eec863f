// Goal of a search: bounds on its result, their confidence, the budget of the search, and gates.
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

// Bounds that the user demands of a configuration. An empty member demands nothing. Bounds on
// accuracy compare the outputs with those of float32 and are on the mean over the samples, unless a
// share is given (docs/internals/measuring.md).
struct Constraints {
  std::optional<double> min_sqnr_db;  // least signal-to-quantisation-noise ratio, dB
  std::optional<double> max_rel_l2;   // greatest relative L2 error
  // Greatest drop of the top-1 accuracy, as a fraction: that of float32 minus that of the
  // configuration. Without labels: greatest share of rows with another class than float32.
  std::optional<double> max_top1_drop;
  std::optional<double> min_agreement;      // least share of equal integer and boolean elements
  std::optional<double> max_latency_ratio;  // greatest latency / latency of float32
  // Share of the samples, in (0, 1), that must each meet min_sqnr_db or max_rel_l2. Empty: the mean
  // over the samples must meet it.
  std::optional<double> min_sqnr_db_share = {};
  std::optional<double> max_rel_l2_share = {};
  std::optional<double> min_metric = {};  // least value of the user's own metric
  std::optional<double> max_metric = {};  // greatest value of the user's own metric

  [[nodiscard]] bool any() const { return of_accuracy() || max_latency_ratio; }

  [[nodiscard]] bool of_accuracy() const {
    return min_sqnr_db || max_rel_l2 || max_top1_drop || min_agreement || min_metric || max_metric;
  }

  friend bool operator==(const Constraints&, const Constraints&) = default;
};

// Parses --goal and returns its bounds together with those of `given`. The text is "front" (no
// bound), or bounds by the names of the members, separated by commas: "min_sqnr_db=40",
// "max_top1_drop=0.005, max_latency_ratio=0.8". A share follows the number: "min_sqnr_db=40@95%".
// Error kUsage: an unknown name, no number, a number out of the range of the bound, or a bound that
// is given twice.
Constraints ParseGoal(std::string_view text, const Constraints& given);

// Default of --confidence: the least probability with which a promised bound holds.
inline constexpr double kPromiseConfidence = 0.95;

// Range of --confidence.
inline constexpr double kLeastConfidence = 0.5;
inline constexpr double kMostConfidence = 0.999;

// Parses --confidence, such as "0.95". Returns empty for "none": bounds must hold on the samples at
// hand, and nothing is promised of other samples. Error kUsage: another text, or a number out of
// range.
std::optional<double> ParseConfidence(std::string_view text);

// Returns the text that ParseConfidence() parses to `confidence`.
std::string ConfidenceText(const std::optional<double>& confidence);

// Error kUsage: a confidence out of range.
void CheckConfidence(const std::optional<double>& confidence);

// Value of a limit on plans that stands for no limit.
inline constexpr std::size_t kNoLimitOfPlans = std::numeric_limits<std::size_t>::max();

// Budget of a tuning run. An empty member sets no limit.
struct Budget {
  // Number of plans that may be measured. Probes, which run parts of the network to learn what one
  // choice costs, count by how often they run the network.
  std::optional<std::size_t> evaluations;
  std::optional<std::chrono::duration<double>> time;  // wall time of the whole run
};

// Budget of `halftone tune` if the user gives no limit.
inline constexpr std::string_view kDefaultBudget = "10min";

// Parses --budget: "120" (evaluations), "90s", "10min", "2h". Error kUsage: another text.
Budget ParseBudget(std::string_view text);

enum class GateComparison : std::uint8_t { kLess, kAtMost, kMore, kAtLeast };  // <, <=, >, >=

// Gate of continuous integration (--fail_if): "sqnr_db<40" fails if the chosen point has an SQNR
// below 40 dB. A gate fails if its comparison is true, or if the point has no such quantity.
struct Gate {
  std::string text;      // "sqnr_db<40"
  std::string quantity;  // a name of GateQuantities(), or a prefix and a name
  GateComparison comparison = GateComparison::kLess;
  double limit = 0;

  friend bool operator==(const Gate&, const Gate&) = default;
};

// Returns the names of the quantities of gates: latency_ratio, speed_up, latency_ms,
// peak_arena_bytes, top1_drop, metric (the value of --metric), metric_drop (how much worse that is
// than with float32), and each metric in two variants, such as sqnr_db (the mean over the samples)
// and sqnr_db_worst (the worst sample).
//
// Accuracy is measured on the held-out samples if there are any, else on those of the search. A
// prefix chooses the samples: heldout_sqnr_db, search_sqnr_db. The prefix promised_ means the limit
// that is promised for new samples: promised_sqnr_db is the limit for the bound min_sqnr_db.
std::vector<std::string> GateQuantities();

// Parses NAME<NUMBER, NAME<=NUMBER, NAME>NUMBER or NAME>=NUMBER. Blanks may surround each part.
// Error kUsage: another text, or an unknown quantity.
Gate ParseGate(std::string_view text);

}  // namespace halftone
