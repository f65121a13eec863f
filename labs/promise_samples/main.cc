// Held-out samples that a promise takes: for each bound the fewest of which 36 of 40 simulated
// points that meet it are promised, by the limits before certificates chose between two (src/base/
// confidence.h, alone) and by Certify(). A table in Markdown; nothing is timed.
//
//   halftone_promise_samples
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/trial/certify.h"
#include "src/base/confidence.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

constexpr int kDraws = 40;
constexpr int kWanted = 36;
constexpr std::size_t kMost = 20'000;
constexpr std::size_t kSearchFactor = 3;  // samples of the search for each held-out one

MetricValue Metric(std::string name, std::vector<double> values) {
  return {.name = std::move(name), .values = std::move(values)};
}

// What a draw gives of one side of the split.
struct Draw {
  Accuracy point;
  Accuracy reference;
};

// Promised of the held-out draw; `search` is the other side of the split.
using Method = std::function<bool(const Draw& heldout, const Draw& search)>;

struct Scenario {
  std::string bound;
  std::string point;
  std::function<Draw(std::size_t n, Rng& rng)> draw;
  Method before;
  Constraints constraints;
};

bool Certified(const Constraints& constraints, const Draw& heldout, const Draw& search) {
  return Certify(constraints, {.latency = {},
                               .heldout = heldout.point,
                               .reference = heldout.reference,
                               .search = &search.point})
      .holds();
}

// Labelled samples: a share `flips` of them changes its class, half lost and half won.
Draw Flips(std::size_t n, double flips, Rng& rng) {
  std::vector<double> right(n, 1);
  std::vector<double> reference(n, 1);
  std::vector<double> agreement(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    const double at = rng.Uniform();
    if (at < flips) {
      (at < flips / 2 ? right : reference)[i] = 0;
      agreement[i] = 0;
    }
  }
  return {{{Metric("rel_l2", std::vector<double>(n, 0.01)), Metric("top1", right),
            Metric("top1_agreement", agreement)}},
          {{Metric("top1", reference)}}};
}

bool DropByBetting(double bound, const Draw& heldout) {
  const std::vector<double>& right = heldout.point.Find("top1")->values;
  const std::vector<double>& reference = heldout.reference.Find("top1")->values;
  std::vector<double> values;
  for (std::size_t i = 0; i < right.size(); ++i) {
    values.push_back((1 + right[i] - reference[i]) / 2);
  }
  return 1 - 2 * LowerLimitOfBoundedMean(values) <= bound;
}

// Samples of a mean level in decibels with a normal spread; a share of them without an error.
Draw Errors(std::size_t n, double level_db, double spread_db, double exact, Rng& rng) {
  // The mean of the powers lies above that of the decibels by the square of the spread.
  const double nepers = std::log(10.0) / 10;
  const double median_db = level_db + spread_db * spread_db * nepers / 2;
  std::vector<double> decibels;
  std::vector<double> rel_l2;
  for (std::size_t i = 0; i < n; ++i) {
    const double value =
        rng.Uniform() < exact ? kExactSqnrDb : median_db + spread_db * rng.Normal();
    decibels.push_back(value);
    rel_l2.push_back(std::pow(10, -value / 20));
  }
  return {{{Metric("sqnr_db", decibels), Metric("rel_l2", rel_l2)}}, {}};
}

bool MeanPower(double bound_db, const Draw& heldout) {
  std::vector<double> powers = heldout.point.Find("sqnr_db")->values;
  for (double& value : powers) {
    value = std::pow(10, -value / 10);
  }
  return -10 * std::log10(UpperLimitOfMean(powers)) >= bound_db;
}

std::vector<Scenario> Scenarios() {
  std::vector<Scenario> scenarios;
  for (const double bound : {0.02, 0.005}) {
    for (const double flips : {0.0, 0.001, 0.01}) {
      scenarios.push_back(
          {.bound = fmt::format("max_top1_drop={:g}", bound),
           .point = fmt::format("{:g} % of flips, as many won as lost", 100 * flips),
           .draw = [=](std::size_t n, Rng& rng) { return Flips(n, flips, rng); },
           .before = [=](const Draw& heldout,
                         const Draw&) { return DropByBetting(bound, heldout); },
           .constraints = {.max_top1_drop = bound}});
    }
  }
  for (const double bound_db : {60.0, 40.0, 15.0}) {
    for (const double spread_db : {3.0, 6.0, 10.0, 15.0}) {
      scenarios.push_back(
          {.bound = fmt::format("min_sqnr_db={:g}", bound_db),
           .point = fmt::format("63 dB, spread {:g} dB", spread_db),
           .draw = [=](std::size_t n, Rng& rng) { return Errors(n, 63, spread_db, 0, rng); },
           .before = [=](const Draw& heldout, const Draw&) { return MeanPower(bound_db, heldout); },
           .constraints = {.min_sqnr_db = bound_db}});
    }
  }
  for (const double spread_db : {6.0, 10.0}) {
    scenarios.push_back(
        {.bound = "min_sqnr_db=40@95%",
         .point = fmt::format("63 dB, spread {:g} dB", spread_db),
         .draw = [=](std::size_t n, Rng& rng) { return Errors(n, 63, spread_db, 0, rng); },
         .before = nullptr,
         .constraints = {.min_sqnr_db = 40, .min_sqnr_db_share = 0.95}});
  }
  return scenarios;
}

// True if enough of the draws with `n` held-out samples are promised.
bool Suffices(const Scenario& scenario, const Method& method, std::size_t n) {
  int promised = 0;
  for (int i = 0; i < kDraws && promised + (kDraws - i) >= kWanted; ++i) {
    Rng rng(1000 + static_cast<std::uint64_t>(i));
    const Draw heldout = scenario.draw(n, rng);
    promised += method(heldout, scenario.draw(kSearchFactor * n, rng)) ? 1 : 0;
  }
  return promised >= kWanted;
}

// The fewest that suffice, within 2 %; empty: more than kMost.
std::optional<std::size_t> Fewest(const Scenario& scenario, const Method& method) {
  std::size_t enough = 4;
  while (!Suffices(scenario, method, enough)) {
    enough *= 2;
    if (enough > kMost) {
      return std::nullopt;
    }
  }
  std::size_t too_few = enough / 2;
  while (enough - too_few > 1 + enough / 50) {
    const std::size_t n = (enough + too_few) / 2;
    (Suffices(scenario, method, n) ? enough : too_few) = n;
  }
  return enough;
}

std::string Count(const std::optional<std::size_t>& count) {
  return count ? fmt::format("{}", *count) : fmt::format("over {}", kMost);
}

void PrintTable() {
  fmt::print("| bound | point | held-out samples before | now |\n|---|---|---|---|\n");
  for (const Scenario& scenario : Scenarios()) {
    const auto now = Fewest(scenario, [&](const Draw& heldout, const Draw& search) {
      return Certified(scenario.constraints, heldout, search);
    });
    const std::string before =
        scenario.before ? Count(Fewest(scenario, scenario.before)) : std::string("no such bound");
    fmt::print("| `{}` | {} | {} | {} |\n", scenario.bound, scenario.point, before, Count(now));
  }
}

}  // namespace
}  // namespace halftone

int main() {
  halftone::PrintTable();
  return 0;
}
