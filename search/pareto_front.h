// The trials that no other trial beats in both latency and accuracy.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "search/trial.h"

namespace halftone {

// The two objectives, both to be minimised.
struct Objectives {
  double latency_ratio = 0;
  double loss = 0;  // mean relative L2 error of the outputs; 0: identical

  friend bool operator==(const Objectives&, const Objectives&) = default;
};

Objectives ObjectivesOf(const Measurement& measurement);

// a is no worse in both and better in one.
bool Dominates(const Objectives& a, const Objectives& b);

// Indices of the non-dominated measured trials, fastest first. Of trials with equal objectives and
// of trials with equal plans the first is taken. Rejections never enter.
std::vector<std::size_t> ParetoFront(std::span<const Trial> trials);

// The area dominated by the front within the reference point (both objectives smaller is better).
double Hypervolume(std::span<const Objectives> front, const Objectives& reference);

}  // namespace halftone
