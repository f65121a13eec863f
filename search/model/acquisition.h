// Acquisition function: selects the prospects that a round of the search measures.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "search/model/plan_predictor.h"

namespace halftone {

// Offers prospects to `take` one by one. The next prospect is always the one whose hoped objectives
// add the most to the area (search/trial/front_quality.h) of `front` and the prospects taken so
// far; of equal ones, the first. A prospect is skipped if `take` returns false. Ends when `wanted`
// prospects are taken or no prospect adds area. Returns the area of `front` with all prospects
// taken.
double PickForTheFront(std::vector<Objectives> front, std::span<const Prospect> prospects,
                       std::size_t wanted, const std::function<bool(const Prospect&)>& take);

}  // namespace halftone
