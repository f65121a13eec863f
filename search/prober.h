// Who finds out what a network feels of each decision. The real one runs the network
// (search/network_prober.h); tests use one that plants the truth.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "search/decisions.h"
#include "search/sensitivity.h"

namespace halftone {

struct ProbeHooks {
  // After each step of a stage ("times", "errors").
  std::function<void(std::string_view stage, std::size_t done, std::size_t planned)> on_progress;
  // True ends the probes early; what comes back is not complete then.
  std::function<bool()> stop_requested;
};

class Prober {
 public:
  virtual ~Prober() = default;
  virtual Sensitivity Probe(const Decisions& decisions) = 0;
};

}  // namespace halftone
