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

// Without a bound on accuracy, a member is good enough from this SQNR of its worst sample on: the
// error then has a thousandth of the power of the outputs, that is 3.2 % of their size (L2).
inline constexpr double kDefaultWorstSqnrDb = 30.0;

// The same for a network without floating outputs: the mean over the samples. One sample may have
// one element, which says all or nothing, so the worst one is no measure there.
inline constexpr double kDefaultAgreement = 0.99;

// True if a member is good enough for a choice without bounds, on the samples of `accuracy`.
bool IsGoodByDefault(const Accuracy& accuracy);

// Index of the member with the least loss; of equal ones the fastest. Empty: none was measured.
std::optional<std::size_t> MostAccurateMember(std::span<const Trial> front);

// Index into `front` (measured trials, fastest first); empty when no member meets the constraints.
// With a bound on accuracy: the fastest member that meets them, and among members within kTieRatio
// of it the most accurate. With a bound on latency only: the most accurate that meets it. Without
// bounds: the fastest whose worst sample has at least kDefaultWorstSqnrDb, or that agrees in
// kDefaultAgreement where no output is floating; when there is none, the most accurate. Rejections
// are never chosen.
std::optional<std::size_t> ChooseMember(std::span<const Trial> front,
                                        const Constraints& constraints,
                                        std::optional<double> reference_top1);

// The same among the members `allowed` (indices into `front`, ascending).
std::optional<std::size_t> ChooseMemberOf(std::span<const Trial> front,
                                          std::span<const std::size_t> allowed,
                                          const Constraints& constraints,
                                          std::optional<double> reference_top1);

// Members to show when ChooseMember finds none: the fastest that meets the bounds on accuracy and
// the most accurate that meets the bound on latency, for each kind of bound that is given; the most
// accurate of all when none does. Indices into `front`, none twice.
std::vector<std::size_t> NearestMembers(std::span<const Trial> front,
                                        const Constraints& constraints,
                                        std::optional<double> reference_top1);

}  // namespace halftone
