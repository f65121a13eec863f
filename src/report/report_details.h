// Report data beside the front: sensitivities from probes, the chosen point node by node and sample
// by sample, and the samples themselves. Plain data; src/api/report/report_details.h gathers it for
// reports that are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/trial/pareto_front.h"

namespace halftone {

// One dtype and implementation that a group of operators could take, with probed figures. Figures
// of a refused choice have no meaning.
struct ProbedChoice {
  std::string name;          // "float16 high_performance"
  std::string refusal;       // why it cannot be made, a clause; empty: it can
  double local_sqnr_db = 0;  // of the group's results
  double sqnr_db = 0;        // of the network's outputs with this choice alone
  double time = 0;           // share of one run in float32
  bool probed = false;       // sqnr_db is measured, not the local error times the gain
};

struct ProbedGroup {
  std::string node;  // the first of the group
  std::string op;
  double largest_value = 0;           // magnitude of its float32 results
  double gain = 0;                    // error power at the outputs over that of the group's results
  std::vector<ProbedChoice> choices;  // float32's first
};

struct PredictedPlan {
  std::string configuration;
  Objectives predicted;  // before it was measured
  Objectives measured;
};

struct NodeAtPoint {
  std::string node;
  std::string op;
  std::string dtype;  // of its computation
  // SQNR of its results, over the samples of ChosenDetails::error_samples; empty: none has an
  // error.
  std::optional<double> sqnr_db;
  bool broken = false;      // infinite or NaN where float32 is finite
  double float32_time = 0;  // shares of one run of the anchor
  double time = 0;
  std::vector<std::string> parts = {};   // other nodes that run in the same step
  std::vector<std::size_t> inputs = {};  // those that make its operands: places in the same list
  std::string finding = {};  // of the search, a clause (search/explain/choice_findings.h); or empty
};

struct SampleAtPoint {
  std::int64_t index = 0;
  std::string name;
  std::optional<double> sqnr_db;  // empty: no output is floating
  std::optional<double> top1_agreement;
  std::optional<double> top1;
  std::optional<double> agreement = {};  // only where no output is floating
};

// Analysis of the point that TunedFront::described() names, node by node and sample by sample.
struct ChosenDetails {
  std::vector<NodeAtPoint> nodes;            // in the order they run
  double bad_below_db = 0;                   // for nodes: bound of the search, else 30 dB
  std::vector<std::string> error_samples;    // by name: the worst one first
  std::vector<SampleAtPoint> worst_samples;  // the worst first
  bool timed = false;                        // times are valid
  bool predicted = false;                    // and predicted by the target's roofline
  std::int64_t casts = 0;
  double cast_time = 0;  // of all of them together
  double total_time = 0;
  std::vector<std::string> left_out = {};  // parts for which no time was left: "times of operators"
};

struct InputRange {
  std::string name;
  std::string type;  // "float32 1x3x224x224"
  double least = 0;  // over all samples
  double largest = 0;
};

struct DataQuality {
  std::vector<InputRange> inputs;
  std::int64_t duplicates = 0;  // samples that repeat an earlier one
  std::int64_t constant = 0;    // samples whose inputs are each one number
};

struct ReportDetails {
  // No output is floating: losses are shares of elements that differ.
  bool by_agreement = false;
  std::vector<ProbedGroup> groups;  // in the order of the network
  std::vector<PredictedPlan> predictions;
  DataQuality data;
  std::optional<ChosenDetails> chosen;
};

}  // namespace halftone
