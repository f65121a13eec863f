// Which member of the front a user gets who asks for one configuration.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "search/constraints.h"
#include "search/trial.h"

namespace halftone {

// Without a bound on accuracy, a member is good enough from this SQNR of its worst sample on: the
// error then has a thousandth of the power of the outputs, that is 3.2 % of their size (L2).
inline constexpr double kDefaultWorstSqnrDb = 30.0;

// Two plans whose latencies differ by less count as equally fast: the smallest difference that a
// default budget resolves between different buffers is 1 to 2.5 % (docs/measuring.md).
inline constexpr double kTieRatio = 0.01;

// Index into `front` (measured trials, fastest first). With a bound on accuracy: the fastest member
// that meets all constraints, empty when none does, and of members that are within kTieRatio of it
// the most accurate. Without one (no constraints, or one on latency only): of the members that meet
// the constraints, the fastest whose worst sample has at least kDefaultWorstSqnrDb; when there is
// none, the most accurate. Rejections are never chosen.
std::optional<std::size_t> ChooseMember(std::span<const Trial> front,
                                        const Constraints& constraints,
                                        std::optional<double> reference_top1);

}  // namespace halftone
