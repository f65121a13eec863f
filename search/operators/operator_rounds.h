// Rounds of the variants of a network, and the ratios of each operator to variant 0. Part of
// search/operators/operator_tuner.h.
#pragma once

#include <optional>
#include <vector>

#include "search/operators/operator_tuner.h"
#include "src/base/rng.h"

namespace halftone {

class OperatorRounds {
 public:
  // Prepares the variants; variant 0 is what others are compared with and is never dropped.
  OperatorRounds(OperatorTimer& timer, std::span<const KernelAssignment> variants,
                 std::uint64_t seed);

  // Every variant once: odd rounds in a new random order, even ones in the reverse of it.
  void Run();
  void Drop(std::size_t variant);

  struct Estimate {
    double ratio = 1;
    Interval interval{1, 1};
    int rounds = 0;
  };

  // Of an operator in a variant; empty when no round has times above zero for both.
  [[nodiscard]] std::optional<Estimate> RatioOf(std::size_t variant, std::size_t op) const;
  // Median seconds in a run of variant 0.
  [[nodiscard]] double StaticSeconds(std::size_t op) const;

  [[nodiscard]] int rounds() const { return rounds_; }

  [[nodiscard]] double spent_s() const { return spent_s_; }

  // Only variant 0 is left.
  [[nodiscard]] bool alone() const { return order_.size() == 1; }

 private:
  OperatorTimer& timer_;
  Rng rng_;
  std::uint64_t seed_;
  std::vector<std::size_t> order_;                         // variants that are left
  std::vector<std::vector<std::vector<double>>> times_s_;  // by variant, round, operator
  int rounds_ = 0;
  double spent_s_ = 0;
};

}  // namespace halftone
