// Gates of continuous integration (--fail_if): "sqnr_db<40" fails if the chosen point has less.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halftone/goal.h"
#include "search/trial/certify.h"
#include "search/trial/constraints.h"
#include "search/trial/trial.h"
#include "src/accuracy/metrics.h"

namespace halftone {

struct Graph;
struct MetricSummary;
struct TuneSummary;

struct GateResult {
  Gate gate;
  bool passed = false;
  std::string expected;  // clause: "sqnr_db of at least 40"
  std::string found;     // clause: "38.25 on held-out samples", "no point that meets the bounds"
  std::string point;     // "point 2: force_fp16"; empty if there is none
};

// "gate sqnr_db<40: failed; expected ..., found ..."; `state` stands for passed or failed.
std::string GateLine(const GateResult& result, std::string_view state);

// Facts that the options of a run give to gates.
struct GateFacts {
  bool has_labels = false;
  bool has_metric = false;                   // --metric
  const Constraints* constraints = nullptr;  // null: not known yet
};

// Error kUsage: a gate needs labels, a metric or a bound that the run does not have.
void CheckGates(std::span<const Gate> gates, const GateFacts& facts);

// Error kUsage: a gate is on a metric of floating outputs and the network has none, or on a metric
// of other outputs and the network has floating ones alone.
void CheckGateOutputs(std::span<const Gate> gates, const Graph& graph);

// A configuration, and what is known of it. A null pointer means that the fact is not known, or
// that there is none.
struct GatedPoint {
  std::string name;                          // "point 2: force_fp16"
  const Measurement* measurement = nullptr;  // null: it does not run
  const Accuracy* heldout = nullptr;
  const Certificate* certificate = nullptr;
  const MetricSummary* metric = nullptr;  // of --metric
  // Top-1 of float32, with labels.
  std::optional<double> reference_top1 = {};  // on the samples of the search
  std::optional<double> heldout_top1 = {};
};

// A gate on an unknown quantity fails.
std::vector<GateResult> JudgeGates(std::span<const Gate> gates, const GatedPoint& point);

// Results for the chosen point. Without one, all gates fail.
std::vector<GateResult> JudgeGates(std::span<const Gate> gates, const TuneSummary& summary);

}  // namespace halftone
