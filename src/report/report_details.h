// Report data beside the front: sensitivities from probes, the described point node by node and
// sample by sample, and the samples themselves. Plain data, which src/api/report/report_details.h
// gathers for reports that are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/trial/pareto_front.h"

namespace halftone {

// A dtype and an implementation that a group of operators could take, with probed figures. The
// figures of a refused choice have no meaning.
struct ProbedChoice {
  std::string name;          // "float16 high_performance"
  std::string refusal;       // reason why it is impossible, a clause; empty: it is possible
  double local_sqnr_db = 0;  // of the group's results
  double sqnr_db = 0;        // of the network's outputs with this choice alone
  double time = 0;           // share of one run in float32
  bool probed = false;       // sqnr_db is measured; false: it is the local error times the gain
};

struct ProbedGroup {
  std::string node;  // first node of the group
  std::string op;
  double largest_value = 0;           // largest magnitude of its float32 results
  double gain = 0;                    // error power at the outputs over that of the group's results
  std::vector<ProbedChoice> choices;  // float32 first
};

struct PredictedPlan {
  std::string configuration;
  Objectives predicted;  // before the plan was measured
  Objectives measured;
};

struct NodeAtPoint {
  std::string node;
  std::string op;
  std::string dtype;  // of its computation
  // SQNR of its results, over the samples of ChosenDetails::error_samples. Empty if no result has
  // an error.
  std::optional<double> sqnr_db;
  bool broken = false;      // a result is infinite or NaN where float32 is finite
  double float32_time = 0;  // share of one run of the anchor, like `time`
  double time = 0;
  std::vector<std::string> parts = {};   // other nodes that run in the same step
  std::vector<std::size_t> inputs = {};  // indices in the same list: nodes that make its operands
  // A clause of the search (search/explain/choice_findings.h); may be empty.
  std::string finding = {};
};

struct SampleAtPoint {
  std::int64_t index = 0;
  std::string name;
  std::optional<double> sqnr_db;  // empty: no output is floating
  std::optional<double> top1_agreement;
  std::optional<double> top1;
  std::optional<double> agreement = {};  // only if no output is floating
};

// Analysis of the point that TunedFront::described() names, node by node and sample by sample.
struct ChosenDetails {
  std::vector<NodeAtPoint> nodes;  // in the order they run
  double bad_below_db = 0;  // nodes with a lower SQNR are bad: the bound of the search, else 30 dB
  std::vector<std::string> error_samples;    // names of the samples behind `nodes`, the worst first
  std::vector<SampleAtPoint> worst_samples;  // the worst first
  bool timed = false;                        // times are valid
  bool predicted = false;                    // times are predicted by the target's roofline
  std::int64_t casts = 0;
  double cast_time = 0;  // of all casts together
  double total_time = 0;
  // Parts for which the time did not suffice: "times of operators".
  std::vector<std::string> left_out = {};
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
  std::int64_t constant = 0;    // samples whose inputs hold one number each
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
