// Jobs of halftone for its shells: load a network, explain, run, tune. Programs outside the tree
// use include/halftone, which src/public answers by these.
//
// Every function throws halftone::Error with one sentence that says what was expected, found,
// where, and what to do. Values are regular; each object is of one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halftone/bank.h"
#include "halftone/measure.h"
#include "halftone/network.h"
#include "halftone/version.h"
#include "search/operators/operator_tuner.h"
#include "search/trial/constraints.h"
#include "search/trial/trial.h"
#include "search/tuner.h"
#include "src/accuracy/dataset.h"
#include "src/accuracy/loss_metric.h"
#include "src/api/dynamic_shapes.h"
#include "src/api/tune_callbacks.h"
#include "src/base/error.h"
#include "src/exec/kernel_choices.h"
#include "src/ir/graph.h"
#include "src/onnx/reader.h"
#include "src/precision/explain/explain.h"
#include "src/precision/files/option_table.h"
#include "src/precision/precision_options.h"
#include "src/precision/precision_plan.h"
#include "src/report/annotations.h"
#include "src/report/formats.h"
#include "src/report/tune_summary.h"
#include "src/target/target_spec.h"

namespace halftone {

// ---- Networks and targets -----------------------------------------------------------------------

// Data that graphs of one model share; src/api/shape_profiles.h makes it.
struct ModelSource;

struct Model {
  std::string name;  // the folder's name for model.onnx, else the file's without its ending
  std::filesystem::path path;
  Graph graph;  // imported and optimised
  // Hash of the imported graph, and of the result where fusions_off changes it.
  Hash128 hash;
  std::string input_shapes;  // "data_0:1,3,224,224"
  // Extents of each input in the file, negative where it leaves them free.
  std::map<std::string, std::vector<std::int64_t>, std::less<>> declared = {};
  // Content of a --fusion_switch_file that belongs to every option set written for this model;
  // empty: none.
  std::string fusion_switches;
  std::vector<std::string> notes;  // full sentences, for example about free dimensions
  // Values that shapes or branches depend on, as the first sample of ModelOptions::inputs has them.
  // Samples for which they differ are refused (docs/guide/inputs.md).
  std::vector<TracedValue> traced;
  ImportOptions import_options;  // of its import, without the sample
  ModelOptions options;          // argument of LoadModel()
  // Shared source of models at several input shapes; null: only one was read.
  std::shared_ptr<ModelSource> source;
};

Model LoadModel(const ModelOptions& options);

// Errors: kUsage with E10001 (unknown name, a malformed file), E10054 (no option names the device).
TargetSpec LoadTarget(const TargetOptions& options);
TargetSpec LoadTarget(std::string_view soc_version);

// ---- Precision options --------------------------------------------------------------------------

struct LoadedPrecision {
  PrecisionOptions options;
  std::vector<std::string> warnings;
};

// Checks values and exclusions first, then the files. Errors: kUsage as CheckOptionValues(), for
// unreadable files (E10001) and for their content.
LoadedPrecision LoadPrecision(const PrecisionArguments& arguments, const TargetSpec& target);

struct OptionSet {
  TargetSpec target;
  LoadedPrecision precision;
  std::string fusion_switch_file;  // its path; empty: the set names none
  DynamicShapes shapes;            // empty: the set names none
};

// Loads one of two option sets to compare: "--precision_mode=force_fp16 --keep_dtype=k.cfg", a file
// of such words, or a folder with arguments.txt and the files it names (a point of `tune`);
// ParseSetArguments() lists the words. --soc_version and --ops_info replace those of `target`.
// Error kUsage for other words, for a missing path, and as LoadTarget() and LoadPrecision().
OptionSet LoadOptionSet(const std::string& text, const TargetOptions& target);

struct ExplainRequest {
  std::string format = "table";  // table, json, csv
  std::string node;              // only this node, or "OpType::<IR type>"; empty: all
  bool steps = false;            // nodes of each step, and why neighbours are separate
  bool unknown_names_are_warnings = false;
  ExplainLayout layout = {};  // of the table
  // Clauses by name of the node that stand beside the reasons.
  std::map<std::string, std::string> findings = {};
};

// Checks the request alone, before a model is read. Error kUsage: the format.
void CheckExplainRequest(const ExplainRequest& request);

struct ExplainedText {
  std::string text;
  // Facts that the format cannot express (CSV: all but nodes), full sentences.
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};

// The text of `halftone explain`. Errors: kUsage for the request, and as ResolvePrecision().
ExplainedText ExplainText(const Model& model, const TargetSpec& target,
                          const PrecisionOptions& options, const ExplainRequest& request = {});

struct SmallestOptionsRequest {
  bool unknown_names_are_warnings = false;
  bool v2_names = false;  // --precision_mode_v2 where the mode has a name there
};

struct WrittenOptions {
  std::vector<std::string> arguments;  // "--precision_mode=force_fp16", ...
  std::size_t size = 0;                // options and entries in their files
  std::vector<std::string> notes;      // facts that a format cannot express, with their substitutes
};

// Writes the smallest option set that resolves to the plan of `options`, with all inputs of that
// plan (src/api/load/plan_sources.h, and the model's fusion switches), as arguments.txt, the files
// it names and point.json in `folder`, for LoadOptionSet() and ReadPoint(). `models`: one network
// at the input shapes of the set; the first decides precision. Errors as LoadTarget() and
// ResolvePrecision(), kUnsupported when no option set of files gives the plan, kIo.
WrittenOptions WriteSmallestOptions(std::span<const Model> models, const TargetOptions& target,
                                    const PrecisionOptions& options,
                                    const std::filesystem::path& folder,
                                    const SmallestOptionsRequest& request = {});

// Differences between two option sets by node: the text of `halftone explain --diff`.
ExplainedText ExplainDifference(const Model& model, const OptionSet& a, const OptionSet& b,
                                const ExplainRequest& request = {});

struct RunResult {
  std::string configuration;  // "force_fp16; the mode is the default"
  Measurement measurement;
  Hash128 plan_digest;
  std::optional<double> reference_top1;
  double reference_latency_s = 0;       // of the anchor
  std::string anchor = kFloat32Anchor;  // Anchor::name: what the latency is compared with
  std::int64_t sample_count = 0;
  bool representative = true;
  std::vector<std::string> kept_nodes;
  std::vector<std::string> low_precision_nodes;
  std::vector<std::string> warnings;
  std::string load_warning;  // load of other programs during the run; empty: little
  // Sentences on nodes that made values infinite or NaN: five; --status_check=1: all, or "none".
  std::vector<std::string> overflow;
  std::vector<std::string> judging = {};  // JudgingNotes() of its outputs
  bool shows_classes = true;              // RunFacts::shows_classes
  std::size_t steps = 0;                  // kernel calls of a run
  std::size_t tuned_steps = 0;            // of these, with a kernel that operator tuning chose
  // Samples that there are; more than sample_count: the run ended before the others.
  std::int64_t planned_samples = 0;
  bool interrupted = false;  // RunHooks::stop_requested ended it
  bool timed = false;        // the latency is known: of the rounds that were done
  std::string no_latency;    // a clause: why time was short for it; empty: it was not
};

// Callbacks that watch a run of a configuration and end it early. Each may be empty.
struct RunHooks {
  // Kind of the work ("accuracy", "float32", "timed runs"), pieces of it that are done, and
  // all of them; 0: not known.
  std::function<void(std::string_view what, std::size_t done, std::size_t planned)> on_progress;
  // The result once accuracy is known, before the latency is measured. `shape`: number of the input
  // shape.
  std::function<void(const RunResult& result, std::size_t shape)> on_accuracy;
  // The whole result of a shape, behind on_accuracy.
  std::function<void(const RunResult& result, std::size_t shape)> on_shape_end;
  // True ends the run after the piece of work at hand; the result covers the work done.
  std::function<bool()> stop_requested;
  // Budget in time that ends a run too. It begins with the command, so that loading counts. Where
  // latency follows, accuracy takes at most half of what is left. The first sample always runs, and
  // a metric of a program sees all samples. Null: there is none.
  std::shared_ptr<const TimeBudget> time = nullptr;
};

// Error kUnsupported when overflow reaches an output.
RunResult RunConfiguration(const Model& model, const TargetSpec& target,
                           const PrecisionOptions& precision, const DatasetOptions& data,
                           const MeasureSettings& settings = {}, const KernelChoices& choices = {},
                           const RunHooks& hooks = {});

// The same on samples of the caller.
RunResult RunOnSamples(const Model& model, const TargetSpec& target,
                       const PrecisionOptions& precision, const Dataset& samples,
                       const MeasureSettings& settings = {}, const RunHooks& hooks = {});

// Outputs that SaveOutputs() wrote.
struct SavedOutputs {
  std::vector<std::string> files;  // "0_logits.npy", "shape_1/0_logits.npy"
  std::size_t samples = 0;         // that they hold; fewer than planned: interrupted
  std::size_t planned = 0;
  std::vector<std::string> notes;  // on the samples, a sentence each
};

// Runs the configuration once on each sample and writes each output to `folder`, which is created,
// as a .npy file: the samples one behind the other along the first axis (a scalar: as an axis). A
// file has the name of the output, with _ for characters that file names seldom have. All results
// are held in memory. Error kIo; kUnsupported for an output that .npy has no type for. Stopped
// before the first sample, it writes nothing.
SavedOutputs SaveOutputs(const Model& model, const TargetSpec& target,
                         const PrecisionOptions& precision, const DatasetOptions& data, int threads,
                         const KernelChoices& choices, const std::filesystem::path& folder,
                         const RunHooks& hooks = {});

// The same for one network at several input shapes. The outputs at shape i lie in shape_<i + 1>/ of
// the folder, with samples.txt, which has a line for each sample; with one shape they lie in the
// folder itself. `choices`, one for each shape, may be shorter: the others have none. One note for
// each shape says what lies there.
SavedOutputs SaveOutputs(std::span<const Model> profiles, const TargetSpec& target,
                         const PrecisionOptions& precision, const DatasetOptions& data, int threads,
                         std::span<const KernelChoices> choices,
                         const std::filesystem::path& folder, const RunHooks& hooks = {});

struct KernelUse {
  std::string node;
  std::string op;
  std::string kernel;
  std::string dtype;
  std::vector<std::string> passed_over;  // "gemm.bf16.avx512: needs avx512_bf16"
};

// Kernels of each step of a configuration, with reasons against faster ones.
std::vector<KernelUse> ExplainKernels(const Model& model, const TargetSpec& target,
                                      const PrecisionOptions& precision,
                                      const KernelChoices& choices = {});
std::vector<KernelUse> ExplainKernels(const Graph& graph, const PrecisionPlan& plan,
                                      const KernelChoices& choices = {});

struct CheckOptions {
  double relative_tolerance = 1e-3;
  // Factor of the range (largest minus least value) of the expected output.
  double absolute_tolerance = 1e-5;
  int threads = 0;
  std::set<std::string, std::less<>> fusions_off;  // as ModelOptions
  std::int64_t max_memory = 0;                     // as ModelOptions
  RunHooks hooks = {};                             // sets are the pieces of work
};

struct CheckResult {
  std::string folder;
  bool passed = false;
  std::size_t sets = 0;      // that were compared
  bool interrupted = false;  // the run ended before the others
  // The worst |actual - expected| / (absolute_tolerance * range + relative_tolerance * |expected|):
  // passes up to 1.
  double worst_deviation = 0;
  std::string detail;  // place of the worst, or the error
};

// Runs model.onnx of a folder in float32 on each test_data_set_N and compares with its outputs.
// Errors of the folder are a failed result, not an exception.
CheckResult CheckFolder(const std::filesystem::path& folder, const CheckOptions& options = {});

// ---- Operator tuning ----------------------------------------------------------------------------

struct OperatorTuningOptions {
  OperatorTuningMode mode = OperatorTuningMode::kFull;
  DatasetOptions data;      // only its first sample runs
  MeasureSettings measure;  // full_budget_s: of the comparison, in mode kFull
  double budget_s = 4.0;    // of the runs in which operators are timed
  // Seconds of a run; where the runs that tell kernels apart take more than budget_s, none begins.
  // 0: unknown.
  double run_s = 0;
  std::filesystem::path bank;                // --op_bank_path; empty: no knowledge base
  bool measure_again = false;                // what the bank knows, too
  std::function<bool(const Node&)> include;  // nodes to tune; empty: all
};

struct TunedOperator {
  OperatorTiming timing;
  std::vector<std::string> nodes;  // steps of the network with this operator
  bool known = false;              // from the bank, not measured
};

struct OperatorTuningResult {
  std::vector<TunedOperator> operators;  // those with several kernels, in network order
  // For each operator whose kernel in the static order is the fastest by the machine profile too:
  // its steps.
  std::vector<std::vector<std::string>> forecast;
  // The steps of each operator that a stop left undecided.
  std::vector<std::vector<std::string>> undecided;
  // Timing of the network against the static order; empty where no step changes, and in mode
  // kProfile.
  std::optional<OperatorTiming> network;
  bool network_known = false;
  // New choices made the whole network slower and were dropped: the static order stays.
  bool dropped = false;

  // Time of the network with the chosen kernels / in the static order; 1 for a tie: its interval
  // contains 1.
  [[nodiscard]] double ratio() const;
};

// Finds the fastest kernel for every operator of a configuration (docs/internals/search.md). Errors
// as ResolvePrecision() and Compile(), kDatabase. A stopped call returns and stores the choices
// made so far.
OperatorTuningResult TuneOperators(const Model& model, const TargetSpec& target,
                                   const PrecisionOptions& precision,
                                   const OperatorTuningOptions& options,
                                   const OperatorTunerHooks& hooks = {});
// The same for a plan of the network, on a sample that the caller has.
OperatorTuningResult TuneOperators(const Model& model, const Sample& sample,
                                   const TargetSpec& target, const PrecisionPlan& plan,
                                   const OperatorTuningOptions& options,
                                   const OperatorTunerHooks& hooks = {});

// Stored kernel choices for this network on `threads` threads (0: all cores) and this CPU. Error
// kDatabase for a missing or unreadable bank.
KernelChoices LoadKernelChoices(const Model& model, const std::filesystem::path& bank,
                                std::string_view soc_version, int threads);

// A table of the operators with another kernel, the most saved time first, and a line about the
// others and the network.
std::string FormatOperatorTable(const OperatorTuningResult& result,
                                std::size_t columns = kColumnsOfFiles);

// Forms of RuntimeArguments::runtime, for help: "ort:LIBRARY[,provider=...]".
std::vector<std::string> MeasureForms();

// Errors as CheckTuneOptions(), kUsage, kModel, kUnsupported (also a baseline that cannot run),
// kIo, kDatabase. A stopped search returns its results.
TuneSummary Tune(const Model& model, const TuneOptions& options,
                 const TuneCallbacks& callbacks = {});

// Tunes one network at several input shapes (src/api/shape_profiles.h), with one configuration for
// all. The latency of a point is the mean over the shapes, weighted by TuneOptions::shape_weights;
// its accuracy is that on all samples. Operators are probed and reported at the first shape. Error
// kUnsupported: a shape has nodes that the first one does not have; else as Tune() of one model.
TuneSummary Tune(std::span<const Model> profiles, const TuneOptions& options,
                 const TuneCallbacks& callbacks = {});

// ---- Knowledge bases ----------------------------------------------------------------------------

// Error kUsage unless a bank of TUNE_BANK_PATH is a folder that can be read, written and searched.
// Other places are created on writing.
void CheckBankUsable(const BankLocation& location);

struct StoredConfiguration {
  PrecisionOptions precision;
  Trial trial;
  std::string recorded_at;
  Hash128 workload_key;
  int threads = 0;
  std::vector<std::string> warnings;  // for example: measured by another version
};

// A configuration of this network's newest front in the bank. `select`: "" the chosen one,
// "fastest", "most_accurate", or the number of a point from 1. Errors kDatabase/kUsage when there
// is no bank, no front for this network and these shapes, or no such point.
StoredConfiguration LoadStored(const Model& model, const std::filesystem::path& bank,
                               std::string_view soc_version, std::string_view select);
// The same for a network at several input shapes: from a front that was tuned for all of them,
// else, with a warning, from one of the first shape. A front with the operator library of `target`
// comes before others; another library gives a warning.
StoredConfiguration LoadStored(std::span<const Model> profiles, const std::filesystem::path& bank,
                               const TargetSpec& target, std::string_view select);

// Findings of the search about a stored configuration, by node (search/explain/choice_findings.h).
// Empty where the bank has none: nothing was probed, or the search was limited to modes or kept
// operators.
std::map<std::string, std::string> StoredFindings(const Model& model,
                                                  const std::filesystem::path& bank,
                                                  const TargetSpec& target,
                                                  const StoredConfiguration& configuration);

}  // namespace halftone
