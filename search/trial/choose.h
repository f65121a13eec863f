// Choice of the front member for a user who asks for one configuration.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "search/trial/constraints.h"
#include "search/trial/trial.h"
#include "src/accuracy/metrics.h"

namespace halftone {

// Least SQNR of the worst sample with which a member is good enough where no bound on accuracy is
// given: its error has a thousandth of the power of the outputs, 3.2 % of their L2 norm.
inline constexpr double kDefaultWorstSqnrDb = 30.0;

// For a network without floating outputs, a member is good enough if its mean agreement over the
// samples is at least this. A sample may have a single element, so the worst sample is no measure
// there.
inline constexpr double kDefaultAgreement = 0.99;

// True if a member is good enough for a choice without bounds, on the samples of `accuracy`.
bool IsGoodByDefault(const Accuracy& accuracy);

// Index of the member with the least loss, the fastest of equal ones. Empty: no member was
// measured.
std::optional<std::size_t> MostAccurateMember(std::span<const Trial> front);

// Index into `front` (measured trials, fastest first); empty when no member meets the constraints.
// With a bound on accuracy: the fastest member that meets them, and among members within kTieRatio
// of it the most accurate. With a bound on latency only: the most accurate that meets it. Without
// bounds: the fastest whose worst sample has at least kDefaultWorstSqnrDb, or, if no output is
// floating, whose agreement is at least kDefaultAgreement; if there is none, the most accurate.
// Rejections are never chosen.
std::optional<std::size_t> ChooseMember(std::span<const Trial> front,
                                        const Constraints& constraints,
                                        std::optional<double> reference_top1);

// ChooseMember() among the members `allowed` (ascending indices into `front`).
std::optional<std::size_t> ChooseMemberOf(std::span<const Trial> front,
                                          std::span<const std::size_t> allowed,
                                          const Constraints& constraints,
                                          std::optional<double> reference_top1);

// Members to show if ChooseMember() finds none: the fastest that meets the bounds on accuracy if
// any are given, and the most accurate that meets the bound on latency if one is given; the most
// accurate of all if no member does either. Indices into `front`, none twice.
std::vector<std::size_t> NearestMembers(std::span<const Trial> front,
                                        const Constraints& constraints,
                                        std::optional<double> reference_top1);

}  // namespace halftone
