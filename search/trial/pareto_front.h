// The trials that no other trial beats in both latency and accuracy.
#pragma once

#include <compare>
#include <cstddef>
#include <span>
#include <vector>

#include "search/trial/trial.h"

namespace halftone {

// The two objectives, both to be minimised.
struct Objectives {
  double latency_ratio = 0;
  double loss = 0;

  friend bool operator==(const Objectives&, const Objectives&) = default;
};

// Objectives by which trials are compared: the loss is Accuracy::loss, or the mean of rel_l2.
Objectives ObjectivesOf(const Measurement& measurement);
// Objectives by which strategies propose, whatever the metric: the loss is the mean of rel_l2, 0
// for identical outputs. It is additive over errors, and distinguishes plans with equal shares of
// classes. For a network without floating outputs it is the mean share of elements that differ.
Objectives ErrorObjectivesOf(const Measurement& measurement);

// Distance from float32 by which measurements are compared: of two, the smaller one is more
// accurate. The error decides between equal losses, as where a metric of classes is saturated; for
// the default metric both are the same.
struct Inaccuracy {
  double loss = 0;   // of ObjectivesOf()
  double error = 0;  // loss of ErrorObjectivesOf()

  friend auto operator<=>(const Inaccuracy&, const Inaccuracy&) = default;
};

Inaccuracy InaccuracyOf(const Measurement& measurement);

// a is no worse in both and better in one.
bool Dominates(const Objectives& a, const Objectives& b);

// Indices of the measured trials that no other one beats in latency and Inaccuracy, fastest first.
// The first is taken of trials that are equal in both, and of trials with equal plans. Rejections
// never enter.
std::vector<std::size_t> ParetoFront(std::span<const Trial> trials);

// Members of ParetoFront() that are not tied in latency with a more accurate one, fastest first.
// Two are tied whose ratios differ by less than kTieRatio, or by less than kNoisyTieRatio when
// their intervals overlap too. From the most accurate member on, each faster one stays that is not
// tied with the last that stayed: everything left out has a member that is more accurate and at
// most kNoisyTieRatio slower (an epsilon-approximate front: Laumanns, Thiele, Deb and Zitzler,
// "Combining convergence and diversity in evolutionary multiobjective optimization", 2002).
std::vector<std::size_t> DistinctFront(std::span<const Trial> trials);

// Two plans whose latencies differ by less count as equally fast: the smallest difference that a
// default budget resolves between different buffers is 1 to 2.5 % (docs/internals/latency.md).
inline constexpr double kTieRatio = 0.01;

// Difference of memory-bound networks from buffer to buffer (docs/internals/latency.md). Beyond
// it the medians count, however wide the intervals of a loaded machine are: leaving out a point
// that may be so much faster is worse.
inline constexpr double kNoisyTieRatio = 0.03;

// The area dominated by the front within the reference point (both objectives smaller is better).
double Hypervolume(std::span<const Objectives> front, const Objectives& reference);

// The measured trials that a candidate races against: the timing of a dominated one ends early,
// because a search spends most of its time on latencies, and most candidates are far behind a known
// trial. Refers to `trials`, which must outlive it.
class RacingBounds {
 public:
  RacingBounds() = default;

  explicit RacingBounds(std::span<const Trial> trials) : trials_(trials) {}

  // A candidate so inaccurate whose latency interval lies above this ratio is dominated with 95 %
  // confidence: a trial that is no less accurate has its whole interval below. Infinite: no trial
  // is. (Two independent intervals of 95 % that lie apart contradict equality in fewer than 1 % of
  // cases: their half-widths add up where standard errors add up in squares.)
  [[nodiscard]] double RatioToBeat(const Inaccuracy& candidate) const;

 private:
  std::span<const Trial> trials_;
};

}  // namespace halftone
