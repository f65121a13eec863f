// The part of the greedy strategy that works on one base: which operators to keep, and how many.
// The stages are described in search/strategies/greedy.h.
#pragma once

#include <cstddef>
#include <vector>

#include "search/space/point.h"
#include "search/strategies/ledger.h"

namespace halftone {

class KeepSetSearch {
 public:
  // `base`: a point with nothing kept. `ledger` must outlive this.
  KeepSetSearch(Ledger& ledger, Point base);

  // How many points it proposes at most where so many nodes may be kept.
  static std::size_t MostPlans(std::size_t nodes);

  // Reads the results of what was proposed last and proposes the next points. False when there is
  // nothing left to do.
  bool Advance();

 private:
  enum class Stage { kProbes, kSplits, kKeepSets, kHalvings, kDone };

  // Operators that are kept together.
  struct Unit {
    std::vector<std::size_t> nodes;
    double score = 0;  // gain per cost
  };

  // Keep sets of growing size with one implementation-mode set; sizes are those proposed so far.
  struct Chain {
    std::size_t impl_mode_set = 0;
    std::vector<std::size_t> sizes;  // ascending, the first is 0
  };

  [[nodiscard]] Point PointOf(std::size_t impl_mode_set, std::size_t size) const;
  [[nodiscard]] Point ProbeOf(const Unit& unit) const;
  [[nodiscard]] std::vector<std::size_t> BestImplModeSets() const;
  void ProposeProbes();
  void RateUnits();
  void SplitBestUnits();
  void ProposeKeepSets();
  bool ProposeHalving();

  Ledger& ledger_;
  Point base_;
  Stage stage_ = Stage::kProbes;
  std::vector<Unit> units_;
  std::vector<Chain> chains_;
  std::size_t halvings_ = 0;
};

}  // namespace halftone
