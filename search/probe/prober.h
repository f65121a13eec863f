// Who finds out what a network feels of each decision. The real one runs the network
// (search/probe/network_prober.h); tests use one that plants the truth.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "search/probe/sensitivity.h"
#include "search/space/decisions.h"

namespace halftone {

struct ProbeProgress {
  std::string_view stage;  // "errors", "times"
  std::size_t done = 0;    // groups; plans that are timed together
  std::size_t planned = 0;
};

struct ProbeHooks {
  std::function<void(const ProbeProgress&)> on_progress;
  // True ends the probes early; what comes back is not complete then.
  std::function<bool()> stop_requested;
  std::function<void(const std::string& sentence)> on_warning = {};
};

class Prober {
 public:
  virtual ~Prober() = default;
  // `losses`: what plans lose on each sample of the search, relative to each other, for whoever
  // cannot look at all samples; empty where nothing is known of it.
  virtual Sensitivity Probe(const Decisions& decisions, std::span<const double> losses) = 0;
};

}  // namespace halftone
