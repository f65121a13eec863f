// Bounds that the user demands of a configuration.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "search/trial/trial.h"
#include "src/ir/graph.h"

namespace halftone {

// Shares of samples are compared with this slack: 0.90 - 0.88 is a little more than 0.02 in binary.
inline constexpr double kShareSlack = 1e-12;

struct Constraints {
  std::optional<double> min_sqnr_db;        // mean over the samples, at least
  std::optional<double> max_rel_l2;         // mean over the samples, at most
  std::optional<double> max_top1_drop;      // fraction: fp32 top-1 minus candidate's, at most
  std::optional<double> min_agreement;      // share of equal elements of discrete outputs, mean
  std::optional<double> max_latency_ratio;  // candidate / fp32, at most

  [[nodiscard]] bool any() const { return of_accuracy() || max_latency_ratio; }

  [[nodiscard]] bool of_accuracy() const {
    return min_sqnr_db || max_rel_l2 || max_top1_drop || min_agreement;
  }

  friend bool operator==(const Constraints&, const Constraints&) = default;
};

// One kind of bound; a new one is a member of Constraints and a row.
struct BoundRow {
  std::string_view name;     // "min_sqnr_db": name of the option and of the goal
  std::string_view meaning;  // for help texts
  std::string_view demand;   // "an SQNR of at least {} dB", a format of fmt
  std::optional<double> Constraints::*value;
  double least;  // range of the value
  double most;
  std::string_view expected;  // "a finite number of decibels"
  std::string_view metric;    // bounded metric of AllMetrics(); empty: latency
  // Empty when the bound is met, else how it is missed, in words with numbers.
  std::optional<std::string> (*violation)(double bound, const Measurement& measurement,
                                          std::optional<double> reference_top1);
};

// All rows, those of accuracy (with a metric) first.
std::span<const BoundRow> AllBounds();

// "an SQNR of at least 40 dB, a latency ratio of at most 0.8"; empty without a bound.
std::string DemandOf(const Constraints& constraints);

// Empty when `measurement` meets all bounds, else the first that it misses, in words with numbers.
// max_top1_drop is judged with labels where there are any (`reference_top1`), else as
// 1 - top1_agreement.
std::optional<std::string> Violation(const Constraints& constraints, const Measurement& measurement,
                                     std::optional<double> reference_top1);

// Error kUsage: a bound on outputs that the network does not have, floating ones or others.
void CheckOutputsOf(const Constraints& constraints, const Graph& graph);

// Error kUsage: a value that its bound cannot have. `prefix` stands before the name: "--".
void CheckConstraints(const Constraints& constraints, std::string_view prefix = "--");

}  // namespace halftone
