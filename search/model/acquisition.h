// Which prospects of a round are worth a measurement.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "search/model/plan_predictor.h"

namespace halftone {

// Offers `take` one prospect after the other, always the one whose hopes add most to the area of
// the front (search/trial/front_quality.h) of `front` and of what was taken before, the first of
// equals, until it took `wanted` or nothing adds anything. `take` returns false for what it cannot
// use, which then counts as nothing. The area of `front` and everything taken.
double PickForTheFront(std::vector<Objectives> front, std::span<const Prospect> prospects,
                       std::size_t wanted, const std::function<bool(const Prospect&)>& take);

}  // namespace halftone
