// Interface that measures the sensitivity of a network to each decision. NetworkProber
// (search/probe/network_prober.h) runs the network; tests have a prober that returns given values.
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
  std::size_t done = 0;    // groups ("errors"), or plans that are timed together ("times")
  std::size_t planned = 0;
};

struct ProbeHooks {
  std::function<void(const ProbeProgress&)> on_progress;
  // True ends the probes early; then Sensitivity::complete is false.
  std::function<bool()> stop_requested;
  std::function<void(const std::string& sentence)> on_warning = {};
};

class Prober {
 public:
  virtual ~Prober() = default;
  // `losses`: relative losses of plans per search sample (AddLosses()); empty if unknown. A prober
  // that cannot use all samples chooses them by these losses.
  virtual Sensitivity Probe(const Decisions& decisions, std::span<const double> losses) = 0;
};

}  // namespace halftone
