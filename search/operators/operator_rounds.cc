#include "search/operators/operator_rounds.h"

#include <algorithm>
#include <numeric>

#include "src/base/error.h"

namespace halftone {

OperatorRounds::OperatorRounds(OperatorTimer& timer, std::span<const KernelAssignment> variants,
                               std::uint64_t seed)
    : timer_(timer), rng_(seed), seed_(seed), order_(variants.size()), times_s_(variants.size()) {
  Check(!variants.empty(), "rounds without a variant");
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  timer_.Prepare(variants);
}

void OperatorRounds::Run() {
  ++rounds_;
  if (rounds_ % 2 == 1) {
    rng_.Shuffle(std::span(order_));
  } else {
    std::reverse(order_.begin(), order_.end());
  }
  for (const std::size_t variant : order_) {
    OperatorSample sample = timer_.TakeSample(variant);
    spent_s_ += sample.spent_s;
    times_s_[variant].push_back(std::move(sample.operator_s));
  }
}

void OperatorRounds::Drop(std::size_t variant) {
  Check(variant != 0, "dropping what others are compared with");
  std::erase(order_, variant);
  timer_.Drop(variant);
}

std::optional<OperatorRounds::Estimate> OperatorRounds::RatioOf(std::size_t variant,
                                                                std::size_t op) const {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < times_s_[variant].size(); ++round) {
    const double here_s = times_s_[variant][round].at(op);
    const double static_s = times_s_[0][round].at(op);
    if (here_s > 0 && static_s > 0) {  // both may be below the resolution of the clock
      ratios.push_back(here_s / static_s);
    }
  }
  if (ratios.empty()) {
    return std::nullopt;
  }
  return Estimate{.ratio = Median(ratios),
                  .interval = BootstrapMedianInterval(ratios, {.seed = seed_}),
                  .rounds = static_cast<int>(ratios.size())};
}

double OperatorRounds::StaticSeconds(std::size_t op) const {
  std::vector<double> seconds;
  for (const std::vector<double>& round : times_s_[0]) {
    seconds.push_back(round.at(op));
  }
  return seconds.empty() ? 0 : Median(seconds);
}

}  // namespace halftone
