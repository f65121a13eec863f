// Quality of a front as one number: the share of the area of speed and accuracy that it covers.
#pragma once

#include <span>

#include "search/trial/pareto_front.h"

namespace halftone {

// Largest SQNR that counts, in decibels. Beyond it, the own error of float32 dominates.
inline constexpr double kMostDecibels = 140;

// Area between the latency of float32 and the front, over decibels from 0 to kMostDecibels, as a
// share of the whole area. It is 0 if nothing is faster than float32, and 1 for an exact plan that
// takes no time. Accuracy is in decibels, because losses span many orders of magnitude.
double FrontQuality(std::span<const Objectives> points);

}  // namespace halftone
