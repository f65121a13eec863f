// Gates of continuous integration (--fail_if): "sqnr_db<40" fails when the chosen point has less.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct Graph;

struct TuneSummary;

enum class GateComparison : std::uint8_t { kLess, kAtMost, kMore, kAtLeast };

// Fails when `quantity` satisfies the comparison.
struct Gate {
  std::string text;      // "sqnr_db<40"
  std::string quantity;  // a name of GateQuantities()
  GateComparison comparison = GateComparison::kLess;
  double limit = 0;

  friend bool operator==(const Gate&, const Gate&) = default;
};

struct GateResult {
  Gate gate;
  bool passed = false;
  // Sentences without a full stop.
  std::string expected;  // "sqnr_db of at least 40"
  std::string found;     // "38.25 on held-out samples", "no point that meets the bounds"
  std::string point;     // "point 2: force_fp16", empty when there is none
};

// latency_ratio, speed_up, peak_arena_bytes, top1_drop, and every metric by its name (the mean over
// the samples) and with _worst behind it (the worst sample).
std::vector<std::string> GateQuantities();

// NAME<NUMBER, NAME<=NUMBER, NAME>NUMBER or NAME>=NUMBER, blanks around each. Error kUsage.
Gate ParseGate(std::string_view text);

// Error kUsage for a gate that needs labels where there are none.
void CheckGates(std::span<const Gate> gates, bool has_labels);

// Error kUsage: a metric of outputs that the network does not have, floating ones or others.
void CheckGateOutputs(std::span<const Gate> gates, const Graph& graph);

// Results for the chosen point; accuracy on held-out samples if any. A gate on a quantity that the
// network lacks fails.
std::vector<GateResult> JudgeGates(std::span<const Gate> gates, const TuneSummary& summary);

}  // namespace halftone
