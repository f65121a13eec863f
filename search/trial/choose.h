// Choice of a front member, for a user who asks for one configuration.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "search/trial/constraints.h"
#include "search/trial/trial.h"
#include "src/accuracy/metrics.h"

namespace halftone {

// Without a bound on accuracy, a member is good enough if the SQNR of its worst sample is at least
// this: the error has a thousandth of the power of the outputs, 3.2 % of their L2 norm.
inline constexpr double kDefaultWorstSqnrDb = 30.0;

// For a network without floating outputs, a member is good enough if its mean agreement over the
// samples is at least this. The worst sample is no measure there, because a sample may have a
// single element.
inline constexpr double kDefaultAgreement = 0.99;

// True if a member with this accuracy is good enough without a bound on accuracy.
bool IsGoodByDefault(const Accuracy& accuracy);

// Index of the most accurate member (InaccuracyOf()), the fastest of equal ones; empty if no member
// was measured.
std::optional<std::size_t> MostAccurateMember(std::span<const Trial> front);

// Index of the chosen member of `front` (fastest first); empty if no member meets the constraints.
// With a bound on accuracy, the fastest member that meets all bounds is chosen; with a bound on
// latency only, the most accurate member that meets it. Without bounds, it is the fastest member
// that is good enough (IsGoodByDefault()), or the most accurate one if none is. Where the fastest
// is chosen, members within kTieRatio of it count as equally fast, and the most accurate of these
// is taken. Rejections are never chosen.
std::optional<std::size_t> ChooseMember(std::span<const Trial> front,
                                        const Constraints& constraints,
                                        std::optional<double> reference_top1);

// Chooses as ChooseMember() does, among the members `allowed` (ascending indices into `front`).
std::optional<std::size_t> ChooseMemberOf(std::span<const Trial> front,
                                          std::span<const std::size_t> allowed,
                                          const Constraints& constraints,
                                          std::optional<double> reference_top1);

// Members to show if ChooseMember() finds none: the fastest that meets the bounds on accuracy, if
// there are any, and the most accurate that meets the bound on latency, if there is one. If no
// member meets either, the most accurate of all. Indices into `front`, none twice.
std::vector<std::size_t> NearestMembers(std::span<const Trial> front,
                                        const Constraints& constraints,
                                        std::optional<double> reference_top1);

}  // namespace halftone
