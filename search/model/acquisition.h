// Acquisition: selects the prospects that a round measures.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "search/model/plan_predictor.h"

namespace halftone {

// Offers prospects to `take` one by one: always the prospect whose hoped objectives add most to the
// area (search/trial/front_quality.h) of `front` and the prospects taken, the first of equal ones.
// Skips a prospect for which `take` returns false. Ends when `wanted` are taken or none adds area.
// Returns the area of `front` and all prospects taken.
double PickForTheFront(std::vector<Objectives> front, std::span<const Prospect> prospects,
                       std::size_t wanted, const std::function<bool(const Prospect&)>& take);

}  // namespace halftone
