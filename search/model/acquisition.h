// Acquisition: selects the prospects of a round that are measured.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "search/model/plan_predictor.h"

namespace halftone {

// Offers prospects to `take`, each time the one whose hoped objectives add most to the area
// (search/trial/front_quality.h) of `front` and the prospects taken, the first of equals, until
// `wanted` are taken or none adds anything. `take` returns false for a prospect that it cannot use,
// which is skipped. Returns the area of `front` and all prospects taken.
double PickForTheFront(std::vector<Objectives> front, std::span<const Prospect> prospects,
                       std::size_t wanted, const std::function<bool(const Prospect&)>& take);

}  // namespace halftone
