// Content of a report on one tuning run, in the parts that its stages return. Plain data; formats.h
// turns it into text.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/explain/kept_operators.h"
#include "search/measure/shapes_measurer.h"
#include "search/operators/format_times.h"
#include "search/strategies/search_insight.h"
#include "search/trial/best_promise.h"
#include "search/trial/certify.h"
#include "search/trial/constraints.h"
#include "search/trial/pareto_front.h"
#include "search/trial/trial.h"
#include "search/tuner_run.h"
#include "src/accuracy/metrics.h"
#include "src/base/hash.h"
#include "src/base/machine_watch.h"
#include "src/base/time_budget.h"
#include "src/quantization/calibration_record.h"
#include "src/report/gates.h"
#include "src/report/outcome.h"
#include "src/report/report_details.h"

namespace halftone {

// A command-line argument of a configuration, for example {"--keep_dtype", "p1/keep_dtype.cfg"}.
struct Argument {
  std::string option;
  std::string value;
};

struct FrontPoint {
  Trial trial;         // always a Measurement
  std::string folder;  // of its configuration files, relative to the report; may be empty
  std::vector<Argument> arguments;  // with paths relative to the report
  std::string not_expressible;      // a sentence why no files express it; empty: files do
  std::optional<Accuracy> heldout;  // on samples that the search has not seen
  // Certificate by the held-out samples; only with bounds on accuracy.
  std::optional<Certificate> certificate;
  // Runs the kernels of float32, step by step, so its outputs are the same.
  bool as_float32 = false;
  std::optional<Objectives> predicted;  // by the search, before the point was measured
  double scaled_share = 0;              // share of the multiply-adds of products that run in 8 bits
  // Findings of the search about each operator, by node (search/explain/choice_findings.h).
  std::map<std::string, std::string> findings = {};
  // Measurements at each of several input shapes, in the order of RunFacts::shapes. Empty if the
  // point comes from a knowledge base.
  std::vector<ShapeMeasurement> by_shape = {};

  [[nodiscard]] const Measurement& measurement() const { return *trial.measurement(); }
};

struct RejectedPoint {
  std::string summary;
  std::string reason;
};

// Cost of the probes of a model-based search, and errors of its predictions on measured plans.
struct ProbeSummary {
  std::int64_t groups = 0;
  std::int64_t samples = 0;
  double evaluations = 0;        // cost, in plans that run the network as often
  std::int64_t predictions = 0;  // plans that were predicted and then measured
  double loss_off_db = 0;        // median error of the predicted losses
  double latency_off = 0;        // median relative error of the predicted latencies
};

// The user's metric as the loss of the search.
struct MetricSummary {
  std::string name;
  bool higher_is_better = false;
  double reference = 0;  // value of float32 on the search samples
  std::optional<double> heldout_reference = {};

  friend bool operator==(const MetricSummary&, const MetricSummary&) = default;
};

// One of the input shapes that a network is tuned for.
struct ShapeFacts {
  std::string input_shapes;
  double weight = 1;
  std::int64_t sample_count = 0;  // of the search
};

// Facts known before the search: what is tuned, for which target, on which data and machine.
struct RunFacts {
  std::string tool_version;
  std::string command;     // as the user typed it
  std::string created_at;  // UTC, ISO 8601

  std::string model_name;
  std::string model_path;
  Hash128 model_hash;
  std::string input_shapes;        // all shapes, joined by " | "
  std::vector<ShapeFacts> shapes;  // one for each of them
  std::int64_t node_count = 0;
  std::int64_t keepable_count = 0;

  std::string target;
  std::string anchor = kFloat32Anchor;  // Anchor::name of the plan that others are compared with
  // Runtime or device whose cost model predicts the latencies of plans with 8 bits. Empty if
  // latencies are measured, or if there are no such plans.
  std::string cost_model = {};
  const Vocabulary* words = &AllVocabularies()[0];  // of the target; never null
  std::string cpu;
  std::string runtime = {};  // Runtime::description(); empty: halftone's kernels were measured
  std::string cpu_isa;       // instruction sets of the CPU that kernels know, joined by +
  std::string isa;           // instruction sets that kernels used
  std::string compiler;
  int threads = 0;
  std::size_t kernel_choices = 0;  // operators of the network whose kernel tuning chose

  std::string inputs;
  // Options that `halftone run` needs besides --inputs to compute the same, each with a blank
  // before it: " --state=hn:h". Empty if it needs none.
  std::string run_options = {};
  std::int64_t sample_count = 0;
  std::int64_t heldout_count = 0;
  bool representative = true;
  // True if reports show top-1: the outputs are classes, as far as is known, or the user asked for
  // top-1.
  bool shows_classes = true;

  std::uint64_t seed = 0;
  std::vector<FormatTime> format_times = {};  // from the machine profile; empty: unknown
  std::string space;  // "7 modes x 2^12 keep_dtype sets x 5 implementation-mode sets"
  std::string database;
};

// Float32, with which every point is compared.
struct Reference {
  std::optional<double> top1;  // on the search samples; only with labels
  double latency_s = 0;
  std::int64_t arena_bytes = 0;
  std::optional<MetricSummary> metric;  // empty: the loss is rel_l2
  Accuracy heldout;                     // empty without held-out samples

  // Top-1 on the held-out samples; empty without labels.
  [[nodiscard]] std::optional<double> heldout_top1() const {
    const MetricValue* value = heldout.Find("top1");
    return value == nullptr ? std::nullopt : std::optional(value->mean);
  }
};

// Cost of a plan on this machine, estimated from float32. All 0 if it is unknown.
struct PlanCost {
  double run_s = 0;   // seconds of a float32 run
  double runs = 0;    // number of runs for a plan: on the samples, and timed beside float32
  double plan_s = 0;  // seconds for a plan, with its compilation
};

struct SearchFacts {
  std::string strategy;
  std::size_t distinct_plans = 0;
  std::size_t measured = 0;  // measured in this run
  std::size_t known = 0;     // taken from the knowledge base
  std::string stop_reason;
  SearchEnd end = SearchEnd::kDone;
  std::vector<RejectedPoint> rejected;
  // Number of measured and known plans that lower an operator.
  std::size_t lowered = 0;
  PlanCost plan = {};
};

// The front, and the point chosen from it.
struct TunedFront {
  std::optional<Trial> baseline;      // the user's baseline, measured; empty: there is none
  std::vector<FrontPoint> points;     // fastest first
  std::optional<std::size_t> chosen;  // index into points; empty: none meets the constraints
  std::vector<std::size_t> nearest;   // if none is chosen: indices of the closest points

  // Requires a chosen point.
  [[nodiscard]] const FrontPoint& chosen_point() const { return points[*chosen]; }

  // Index of the point that reports analyse in detail: the chosen one, else the first of `nearest`.
  // Empty if there is neither.
  [[nodiscard]] std::optional<std::size_t> described() const {
    return chosen ? chosen : nearest.empty() ? std::nullopt : std::optional(nearest.front());
  }
};

// Explanations of the front, from the probes of the search.
struct FrontInsight {
  std::optional<ProbeSummary> probes;        // empty: there were none
  std::vector<KeptOperator> kept;            // operators in float32 at the described point
  std::vector<AlternativeSet> alternatives;  // to `kept`
  std::optional<ReportDetails> details;      // only for reports that are written
  // Scales of 8-bit tensors, and what samples showed of them. Null if nothing was quantised.
  std::shared_ptr<const CalibrationRecord> calibration = nullptr;
};

struct MachineUse {
  MachineFacts facts;  // at the start
  // Mean number of CPU cores that other programs used during the measurements. Empty if nothing was
  // timed.
  std::optional<double> other_cores;
};

// Content of a report on one tuning run: the values of its stages (src/api/tune/pipeline.h).
struct TuneSummary {
  RunFacts run;
  Constraints constraints;
  // Confidence of promised bounds (--confidence). Empty if bounds are met on the samples alone, and
  // none is promised.
  std::optional<double> confidence = kPromiseConfidence;
  std::vector<Gate> fail_if;
  Reference reference;
  SearchFacts search;
  TunedFront front;
  FrontInsight insight;
  MachineUse machine;
  // Kernels that measurements used, by name of the node, each with its dtype
  // (src/api/bank/kernel_record.h). Only for reports that are written.
  std::map<std::string, std::string> kernels;
  std::vector<std::string> warnings;  // full sentences
  double elapsed_s = 0;
  std::optional<double> budget_s;  // limit in time
  std::vector<PhaseTime> phases;   // times until the report was written
  Outcome outcome;                 // OutcomeOf() this summary

  // True if bounds on accuracy must be promised: there are such bounds and a confidence, and enough
  // held-out samples for a promise.
  [[nodiscard]] bool MustPromise() const {
    return constraints.of_accuracy() && confidence &&
           CanPromise(constraints, static_cast<std::size_t>(run.heldout_count), *confidence);
  }
};

}  // namespace halftone
