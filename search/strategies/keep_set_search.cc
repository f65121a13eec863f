#include "search/strategies/keep_set_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "search/strategies/greedy.h"

namespace halftone {
namespace {

// What a quick measurement resolves (docs/measuring.md): a smaller rise in latency counts as this
// one, so that noise cannot make an operator look free.
constexpr double kLeastCost = 0.003;
// Above kMaxProbes operators, this share of the probed runs is probed operator by operator.
constexpr std::size_t kSplitShare = 8;
// Losses below this are equal (200 dB): keeps logarithms finite.
constexpr double kLeastLoss = 1e-10;
// The loss that stands for a rejection where a finite number is needed: all of the signal is wrong.
constexpr double kLossOfRejected = 1.0;

bool Finite(const Objectives& objectives) {
  return std::isfinite(objectives.loss);
}

// The area between two neighbours on the curve (logarithm of the loss): what a point in between
// could gain at most.
double Gap(const Objectives& less_kept, const Objectives& more_kept) {
  const auto level = [](double loss) { return std::log(std::max(loss, kLeastLoss)); };
  return std::max(0.0, more_kept.latency_ratio - less_kept.latency_ratio) *
         std::max(0.0, level(less_kept.loss) - level(more_kept.loss));
}

}  // namespace

std::size_t KeepSetSearch::MostPlans(std::size_t nodes) {
  constexpr std::size_t kMostSets = 3;  // BestImplModeSets()
  if (nodes == 0) {
    return 0;
  }
  const std::size_t splits = nodes > kMaxProbes ? kMaxProbes : 0;
  const std::size_t units = std::min(nodes, kMaxProbes) + splits;
  const auto sizes = static_cast<std::size_t>(std::bit_width(units - 1)) + 1;  // 1, 2, 4, ..., all
  return units + kMostSets * sizes + kMaxHalvings;
}

KeepSetSearch::KeepSetSearch(Ledger& ledger, Point base)
    : ledger_(ledger), base_(std::move(base)) {}

bool KeepSetSearch::Advance() {
  switch (stage_) {
    case Stage::kProbes:
      ProposeProbes();
      stage_ = Stage::kSplits;
      return true;
    case Stage::kSplits:
      RateUnits();
      SplitBestUnits();
      stage_ = Stage::kKeepSets;
      return true;
    case Stage::kKeepSets:
      RateUnits();
      ProposeKeepSets();
      stage_ = Stage::kHalvings;
      return true;
    case Stage::kHalvings:
      if (halvings_ < kMaxHalvings && ProposeHalving()) {
        ++halvings_;
        return true;
      }
      stage_ = Stage::kDone;
      return false;
    case Stage::kDone:
      return false;
  }
  return false;
}

Point KeepSetSearch::ProbeOf(const Unit& unit) const {
  Point point = base_;
  point.kept = unit.nodes;
  return point;
}

// The first `size` units kept.
Point KeepSetSearch::PointOf(std::size_t impl_mode_set, std::size_t size) const {
  Point point = base_;
  point.impl_mode_set = impl_mode_set;
  for (std::size_t i = 0; i < size; ++i) {
    point.kept.insert(point.kept.end(), units_[i].nodes.begin(), units_[i].nodes.end());
  }
  std::sort(point.kept.begin(), point.kept.end());
  return point;
}

void KeepSetSearch::ProposeProbes() {
  const std::size_t nodes = ledger_.space().keepable_nodes.size();
  const std::size_t count = std::min(nodes, kMaxProbes);
  for (std::size_t i = 0; i < count; ++i) {
    Unit unit;
    for (std::size_t node = i * nodes / count; node < (i + 1) * nodes / count; ++node) {
      unit.nodes.push_back(node);
    }
    ledger_.Propose(ProbeOf(unit));
    units_.push_back(std::move(unit));
  }
}

// Sorts the units by score. Gains are differences of error power (loss squared): small errors of
// different operators are uncorrelated, so it is their powers that add up.
void KeepSetSearch::RateUnits() {
  Objectives base = ledger_.At(base_);
  const bool base_rejected = !Finite(base);
  if (base_rejected) {  // compare the probes with each other
    base.loss = kLossOfRejected;
    for (const Unit& unit : units_) {
      base.latency_ratio = std::min(base.latency_ratio, ledger_.At(ProbeOf(unit)).latency_ratio);
    }
  }
  for (Unit& unit : units_) {
    const Objectives probe = ledger_.At(ProbeOf(unit));
    if (!Finite(probe)) {
      unit.score = -std::numeric_limits<double>::infinity();
      continue;
    }
    const double gain = base.loss * base.loss - probe.loss * probe.loss;
    const double cost = std::max(kLeastCost, probe.latency_ratio - base.latency_ratio);
    unit.score = gain > 0 ? gain / cost : gain;
  }
  // An operator that cannot be kept on a base that works cannot be kept in any keep set. On a base
  // that does not work it may be one of several that have to be kept.
  if (!base_rejected) {
    std::erase_if(units_, [](const Unit& unit) { return std::isinf(unit.score); });
  }
  std::stable_sort(units_.begin(), units_.end(),
                   [](const Unit& a, const Unit& b) { return a.score > b.score; });
}

void KeepSetSearch::SplitBestUnits() {
  std::vector<Unit> singles;
  std::vector<Unit> others;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const Unit& unit = units_[i];
    const bool split = unit.nodes.size() > 1 && i < kMaxProbes / kSplitShare && unit.score > 0 &&
                       singles.size() + unit.nodes.size() <= kMaxProbes;
    if (!split) {
      others.push_back(unit);
      continue;
    }
    for (const std::size_t node : unit.nodes) {
      singles.push_back({{node}, 0});
      ledger_.Propose(ProbeOf(singles.back()));
    }
  }
  units_ = std::move(singles);
  units_.insert(units_.end(), others.begin(), others.end());
}

// The base's own set first, then the fastest and the most accurate of those measured with nothing
// kept in this mode.
std::vector<std::size_t> KeepSetSearch::BestImplModeSets() const {
  std::size_t fastest = base_.impl_mode_set;
  std::size_t most_accurate = base_.impl_mode_set;
  for (std::size_t set = 0; set < ledger_.space().impl_mode_sets.size(); ++set) {
    const Objectives objectives = ledger_.At(PointOf(set, 0));
    if (objectives.latency_ratio < ledger_.At(PointOf(fastest, 0)).latency_ratio) {
      fastest = set;
    }
    if (objectives.loss < ledger_.At(PointOf(most_accurate, 0)).loss) {
      most_accurate = set;
    }
  }
  std::vector<std::size_t> sets;
  for (const std::size_t set : {base_.impl_mode_set, fastest, most_accurate}) {
    if (std::find(sets.begin(), sets.end(), set) == sets.end()) {
      sets.push_back(set);
    }
  }
  return sets;
}

void KeepSetSearch::ProposeKeepSets() {
  for (const std::size_t set : BestImplModeSets()) {
    Chain chain{set, {0}};
    for (std::size_t size = 1; size < units_.size(); size *= 2) {
      chain.sizes.push_back(size);
    }
    if (!units_.empty()) {
      chain.sizes.push_back(units_.size());
    }
    for (const std::size_t size : chain.sizes) {
      ledger_.Propose(PointOf(set, size));
    }
    chains_.push_back(std::move(chain));
  }
}

bool KeepSetSearch::ProposeHalving() {
  Chain* best_chain = nullptr;
  std::size_t best_after = 0;  // index into best_chain->sizes
  double best_gap = 0;
  for (Chain& chain : chains_) {
    for (std::size_t i = 0; i + 1 < chain.sizes.size(); ++i) {
      Objectives less_kept = ledger_.At(PointOf(chain.impl_mode_set, chain.sizes[i]));
      const Objectives more_kept = ledger_.At(PointOf(chain.impl_mode_set, chain.sizes[i + 1]));
      if (!Finite(less_kept)) {
        less_kept = {0, kLossOfRejected};  // where it starts to work is worth knowing most
      }
      const double gap = Gap(less_kept, more_kept);
      if (chain.sizes[i + 1] - chain.sizes[i] > 1 && Finite(more_kept) && gap > best_gap) {
        best_gap = gap;
        best_chain = &chain;
        best_after = i;
      }
    }
  }
  if (best_chain == nullptr) {
    return false;
  }
  std::vector<std::size_t>& sizes = best_chain->sizes;
  const std::size_t middle = (sizes[best_after] + sizes[best_after + 1]) / 2;
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(best_after) + 1, middle);
  ledger_.Propose(PointOf(best_chain->impl_mode_set, middle));
  return true;
}

}  // namespace halftone
