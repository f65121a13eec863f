// Quality of a front in one number: the share of the (speed, accuracy) area that it covers.
#pragma once

#include <span>

#include "search/trial/pareto_front.h"

namespace halftone {

// Largest SQNR that counts, in decibels: beyond it, float32's own error dominates.
inline constexpr double kMostDecibels = 140;

// The area between float32's latency and the front, over decibels from 0 to kMostDecibels, as a
// share of the whole area: 0 when nothing is faster than float32, 1 for an exact plan that takes no
// time. It uses decibels because losses span many orders of magnitude.
double FrontQuality(std::span<const Objectives> points);

}  // namespace halftone
