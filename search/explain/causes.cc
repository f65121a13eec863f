#include "search/explain/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "search/probe/rounding_facts.h"
#include "src/accuracy/discrete_outputs.h"
#include "src/ir/numeric_format.h"

namespace halftone {
namespace {

// Largest growth of the error amplitude by ordinary rounding: the roundings of operands, weights
// and result together make about twice the error of one of them.
constexpr double kGrowth = 4;
constexpr double kTinyShare = 0.5;

const RoundingFacts& FactsOf(const CauseFacts& facts) {
  return facts.group.Of(facts.format).rounding;
}

// Amplitude of `error` in terms of `unit`, both powers; 0 when there is no unit.
double Growth(double error, double unit) {
  return unit > 0 ? std::sqrt(error / unit) : 0;
}

// Growth of the operands' rounding error within the group.
double Condition(const CauseFacts& facts) {
  return Growth(FactsOf(facts).carried, FactsOf(facts).operands);
}

double OwnGrowth(const CauseFacts& facts) {
  return Growth(facts.choice.local_error, FactsOf(facts).results);
}

bool BeyondLargest(const CauseFacts& facts) {
  return facts.group.largest_value > facts.format.row().largest;
}

std::string LargestValue(const CauseFacts& facts) {
  return fmt::format("its largest value is {:.4g} in sample {}, the limit of {} {:.5g}",
                     facts.group.largest_value, facts.group.largest_sample,
                     ShownNameOf(facts.format), facts.format.row().largest);
}

std::string InfiniteResult(const CauseFacts& facts) {
  return BeyondLargest(facts)
             ? LargestValue(facts)
             : fmt::format("{}; its largest value is {:.4g} in sample {}, so it happens inside",
                           facts.choice.refusal, facts.group.largest_value,
                           facts.group.largest_sample);
}

constexpr CauseRow kCauses[] = {
    {"overflow", "a result is infinite or NaN where float32 is finite",
     [](const CauseFacts& facts) {
       return !facts.choice.refusal.empty() && facts.choice.not_finite;
     },
     InfiniteResult},
    {"unsupported", "no kernel computes it so",
     [](const CauseFacts& facts) {
       return !facts.choice.refusal.empty() && !facts.choice.left_out;
     },
     [](const CauseFacts& facts) { return facts.choice.refusal; }},
    {"clipping", "values beyond the largest of the format are cut to it",
     [](const CauseFacts& facts) {
       return BeyondLargest(facts) || FactsOf(facts).clipped_share > kClippedShare;
     },
     [](const CauseFacts& facts) {
       return BeyondLargest(facts)
                  ? LargestValue(facts)
                  : fmt::format(
                        "{:.0f} % of the power of its rounding errors comes from values "
                        "beyond the ranges of its tensors in {}",
                        100 * FactsOf(facts).clipped_share, ShownNameOf(facts.format));
     }},
    {"decision", "integer or boolean results are others: classes, indices, comparisons",
     [](const CauseFacts& facts) { return facts.choice.changed > 0; },
     [](const CauseFacts& facts) {
       return fmt::format("{} of its integer or boolean elements are others than in float32",
                          FormatShare(facts.choice.changed));
     }},
    {"not faster", "nothing is gained, whatever it would cost",
     [](const CauseFacts& facts) { return facts.saved_time <= 0; },
     [](const CauseFacts& facts) {
       return fmt::format("it would take {:.1f} % of float32's time more, casts left out",
                          -100 * facts.saved_time);
     }},
    {"underflow", "most of the error is made by values below the smallest normal number",
     [](const CauseFacts& facts) { return FactsOf(facts).tiny_share > kTinyShare; },
     [](const CauseFacts& facts) {
       return fmt::format(
           "{:.0f} % of the power of its rounding errors comes from magnitudes below {:.2g}, the "
           "smallest normal number of {}",
           100 * FactsOf(facts).tiny_share, facts.format.row().smallest_normal,
           ShownNameOf(facts.format));
     }},
    {"cancellation",
     "the rounding of operands grows within the operator, as when nearly equal "
     "values are subtracted",
     [](const CauseFacts& facts) { return Condition(facts) > kGrowth; },
     [](const CauseFacts& facts) {
       return fmt::format("the relative error of rounded operands grows {:.1f} times within it",
                          Condition(facts));
     }},
    {"accumulation length", "a long sum whose own error grows beyond that of its result",
     [](const CauseFacts& facts) {
       return facts.group.longest_sum > 1 && OwnGrowth(facts) > kGrowth;
     },
     [](const CauseFacts& facts) {
       return fmt::format(
           "sums of {} terms; its own error is {:.1f} times the rounding of its "
           "result",
           facts.group.longest_sum, OwnGrowth(facts));
     }},
    {"approximation", "the implementation is less exact than its result type",
     [](const CauseFacts& facts) { return OwnGrowth(facts) > kGrowth; },
     [](const CauseFacts& facts) {
       return fmt::format("its own error is {:.1f} times the rounding of its result",
                          OwnGrowth(facts));
     }},
    {"amplification downstream", "ordinary rounding that grows behind the operator",
     [](const CauseFacts& facts) { return facts.group.gain > kGrowth * kGrowth; },
     [](const CauseFacts& facts) {
       return fmt::format("what follows amplifies its relative error {:.1f} times",
                          std::sqrt(facts.group.gain));
     }},
    {"rounding", "ordinary rounding for which the bound leaves no room",
     [](const CauseFacts& /*facts*/) { return true; },
     [](const CauseFacts& facts) {
       // The own error in a dynamic format has that of operands in it.
       const double carried = facts.format.is_dynamic() ? 0 : FactsOf(facts).carried;
       const double error = std::sqrt(facts.choice.local_error + carried);
       return error == 0 ? std::string("no error on the probed samples; others save more time")
                         : fmt::format(
                               "an ordinary rounding error of {:.2g}; others save more time for "
                               "theirs",
                               error);
     }},
};

}  // namespace

std::span<const CauseRow> AllCauses() {
  return kCauses;
}

const CauseRow& CauseOf(const CauseFacts& facts) {
  return *std::ranges::find_if(kCauses, [&](const CauseRow& row) { return row.applies(facts); });
}

}  // namespace halftone
