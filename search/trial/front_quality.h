// One number for a front: the share of (speed, accuracy) that it covers.
#pragma once

#include <span>

#include "search/trial/pareto_front.h"

namespace halftone {

// Decibels of the signal over the error that count: more is float32's own error.
inline constexpr double kMostDecibels = 140;

// The area between float32's latency and the front, over decibels from 0 to kMostDecibels, as a
// share of all there is: 0 when nothing is faster than float32, 1 for something that takes no time
// and is exact. Decibels and not the loss itself, because losses span many orders of magnitude.
double FrontQuality(std::span<const Objectives> points);

}  // namespace halftone
