// Bounds that the user demands of a configuration.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "halftone/goal.h"
#include "search/trial/trial.h"
#include "src/accuracy/metrics.h"
#include "src/ir/graph.h"

namespace halftone {

struct LossMetric;

// Slack with which shares of samples are compared: 0.90 - 0.88 is a little more than 0.02 in
// binary.
inline constexpr double kShareSlack = 1e-12;

// Bounds and their shares, by the names that files and knowledge bases use. Every row of
// AllBounds() has an entry here (tests/search/trial/own_metric_test.cc).
struct BoundMember {
  std::string_view name;
  std::optional<double> Constraints::*value;
};

inline constexpr BoundMember kBoundMembers[] = {
    {"min_sqnr_db", &Constraints::min_sqnr_db},
    {"max_rel_l2", &Constraints::max_rel_l2},
    {"max_top1_drop", &Constraints::max_top1_drop},
    {"min_agreement", &Constraints::min_agreement},
    {"max_latency_ratio", &Constraints::max_latency_ratio},
    {"min_sqnr_db_share", &Constraints::min_sqnr_db_share},
    {"max_rel_l2_share", &Constraints::max_rel_l2_share},
    {"min_metric", &Constraints::min_metric},
    {"max_metric", &Constraints::max_metric},
};

// Values with which bounds are compared, all from the same samples.
struct BoundValues {
  const Accuracy& accuracy;
  const Latency* latency;                // null: bounds on latency are ignored
  std::optional<double> reference_top1;  // top-1 of float32; empty without labels
  std::string_view anchor = "float32";   // what the latency is compared with, for sentences
};

// One kind of bound. A new kind needs a member of Constraints and a row.
struct BoundRow {
  std::string_view name;     // "min_sqnr_db": name of the option and of the goal
  std::string_view meaning;  // for help texts
  std::string_view demand;   // "an SQNR of at least {} dB", a format of fmt
  std::optional<double> Constraints::*value;
  double least;  // range of the value
  double most;
  std::string_view expected;  // "a finite number of decibels"
  std::string_view metric;    // bounded metric of AllMetrics(), or kCommandMetric; empty: latency
  // The share in Constraints; null: the bound can only be on the mean.
  std::optional<double> Constraints::*share;
  // Returns how the bound is missed, in words with numbers; empty if it is met. `share`: share of
  // the samples that must meet the bound; empty: the mean must meet it.
  std::optional<std::string> (*violation)(double bound, std::optional<double> share,
                                          const BoundValues& values);

  [[nodiscard]] std::optional<double> ShareIn(const Constraints& constraints) const {
    return share == nullptr ? std::nullopt : constraints.*share;
  }
};

// All rows; those of accuracy (with a metric) come first.
std::span<const BoundRow> AllBounds();

// A bound as users write it: "40", "40@95%". `constraints` must have this bound.
std::string BoundText(const BoundRow& row, const Constraints& constraints);

// Sets the bound of `row` from text in the form of BoundText(). Returns false, and sets nothing, if
// the text is no bound.
bool ParseBound(std::string_view text, const BoundRow& row, Constraints& constraints);

// Phrase for a bound: "an SQNR of at least 40 dB", "an SQNR of at least 40 dB for 95 % of the
// samples".
std::string DemandOf(const BoundRow& row, const Constraints& constraints);

// Phrase for all bounds: "an SQNR of at least 40 dB, a latency ratio of at most 0.8"; empty without
// a bound.
std::string DemandOf(const Constraints& constraints);

// Returns how the first missed bound is missed, in words with numbers; empty if all bounds are met.
// max_top1_drop is judged on the labels if there are any (`reference_top1`), else as 1 -
// top1_agreement.
std::optional<std::string> Violation(const Constraints& constraints, const BoundValues& values);
std::optional<std::string> Violation(const Constraints& constraints, const Measurement& measurement,
                                     std::optional<double> reference_top1);

// Error kUsage: a bound on the user's own metric without such a metric, min_metric for a metric
// where less is better, or max_metric where more is better.
void CheckMetricOf(const Constraints& constraints, const LossMetric& metric);

// Error kUsage: a bound on floating outputs, or on integer and boolean outputs, if the network has
// no such outputs.
void CheckOutputsOf(const Constraints& constraints, const Graph& graph);

// Error kUsage: a value that is out of the range of its bound. `prefix` precedes the name of the
// bound in the message.
void CheckConstraints(const Constraints& constraints, std::string_view prefix = "--");

}  // namespace halftone
