// Pareto front: the trials that no other trial beats in both latency and accuracy.
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

// Objectives by which trials are compared: the loss is Accuracy::loss, or that of
// ErrorObjectivesOf() if there is none.
Objectives ObjectivesOf(const Measurement& measurement);
// Objectives that strategies optimise, whatever the metric: the loss is the mean of rel_l2, 0 for
// identical outputs. Unlike a share of classes, this loss adds up over errors, and it distinguishes
// almost all plans. For a network without floating outputs, it is the mean share of elements that
// differ.
Objectives ErrorObjectivesOf(const Measurement& measurement);

// Distance from float32: of two measurements, the one with the smaller distance is more accurate.
// `error` decides between equal losses, for example of a saturated metric of classes. With the
// default metric, `error` equals `loss`.
struct Inaccuracy {
  double loss = 0;   // of ObjectivesOf()
  double error = 0;  // loss of ErrorObjectivesOf()

  // NOLINTNEXTLINE(modernize-use-nullptr): no pointer is here
  friend auto operator<=>(const Inaccuracy&, const Inaccuracy&) = default;
};

Inaccuracy InaccuracyOf(const Measurement& measurement);

// True if `a` is no worse in both objectives and better in one.
bool Dominates(const Objectives& a, const Objectives& b);

// Indices of the measured trials that no other trial beats in latency and Inaccuracy, fastest
// first. Of trials that are equal in both or have equal plans, the first is taken. Rejections are
// never members.
std::vector<std::size_t> ParetoFront(std::span<const Trial> trials);

// Members of ParetoFront() that are not tied in latency with a more accurate member, fastest first.
// Two members are tied if their ratios differ by less than kTieRatio, or if they differ by less
// than kNoisyTieRatio and their intervals overlap. The selection goes from the most accurate member
// to faster ones, and a member stays if it is not tied with the last one that stayed. So for every
// member that is left out, the result has a more accurate one that is at most kNoisyTieRatio slower
// (an epsilon-approximate front: Laumanns, Thiele, Deb and Zitzler, "Combining convergence and
// diversity in evolutionary multiobjective optimization", 2002).
std::vector<std::size_t> DistinctFront(std::span<const Trial> trials);

// DistinctFront() of the trials that are not unproven. A trial is unproven if it is unconfirmed and
// some confirmed trial is no less accurate, at most kUnprovenRatio slower, and of an overlapping
// interval. The best of many short measurements looks better than it is, so an unproven trial may
// be ahead by chance; a search that ends before it confirms all members has such trials.
std::vector<std::size_t> ProvenFront(std::span<const Trial> trials);

// Relative difference of latencies below which two plans count as equally fast. A default budget
// resolves differences of 1 to 2.5 % between different buffers (docs/internals/latency.md).
inline constexpr double kTieRatio = 0.01;

// Relative difference in latency of a memory-bound network between two sets of buffers
// (docs/internals/latency.md). Beyond it, the medians decide, however wide the intervals of a
// loaded machine are, because it would be worse to leave out a point that may be so much faster.
inline constexpr double kNoisyTieRatio = 0.03;

// Relative difference in latency up to which an unconfirmed plan may owe its place to chance;
// chosen, not measured: short measurements of a loaded machine scatter by about as much.
inline constexpr double kUnprovenRatio = 0.1;

// Area that the front dominates within the reference point; both objectives are minimised.
double Hypervolume(std::span<const Objectives> front, const Objectives& reference);

// The trials against which a candidate races. The timing of a dominated candidate ends early,
// because a search spends most of its time on latencies, and most candidates are far behind a known
// trial. `trials` must outlive it.
class RacingBounds {
 public:
  RacingBounds() = default;

  explicit RacingBounds(std::span<const Trial> trials) : trials_(trials) {}

  // Ratio above which a candidate of this accuracy is dominated: the least upper end of the latency
  // interval of any trial that is no less accurate. If the whole interval of the candidate lies
  // above this ratio, the candidate is dominated with 95 % confidence. (Two independent intervals
  // of 95 % that lie apart contradict equality in fewer than 1 % of cases: their half-widths add up
  // where standard errors add up in squares.) Infinite if no trial is as accurate.
  [[nodiscard]] double RatioToBeat(const Inaccuracy& candidate) const;

 private:
  std::span<const Trial> trials_;
};

}  // namespace halftone
