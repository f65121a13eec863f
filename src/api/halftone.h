// Jobs of halftone for its front ends (command line, C, Python): load, explain, run and tune a
// network. Programs outside this repository use include/halftone, which src/public implements with
// these functions.
//
// A function that fails throws halftone::Error with one sentence: what was expected, what was
// found, where, and what to do. Unless a comment says otherwise, only one thread at a time may use
// an object.
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

// File and constants that the graphs of one model share (src/api/load/model_source.h).
struct ModelSource;

struct Model {
  std::string name;  // name of the folder for FOLDER/model.onnx, else of the file without ".onnx"
  std::filesystem::path path;
  Graph graph;  // imported and optimised
  // Hash of the imported graph; also of the optimised one if options.fusions_off changes that.
  Hash128 hash;
  std::string input_shapes;  // "data_0:1,3,224,224"
  // Extents of each input as the file declares them; a free extent is negative.
  std::map<std::string, std::vector<std::int64_t>, std::less<>> declared = {};
  // Content of the --fusion_switch_file that every option set for this model needs; empty: none.
  std::string fusion_switches;
  std::vector<std::string> notes;  // full sentences, for example about free dimensions
  // Values on which shapes or branches depend, for the sample that the model was read for (if no
  // other was given, the first of ModelOptions::inputs). Samples with other values are refused
  // (docs/guide/inputs.md).
  std::vector<TracedValue> traced;
  ImportOptions import_options;  // options with which the graph was imported
  ModelOptions options;          // argument of LoadModel()
  // Source that models at other input shapes share; null: only this model was read from the file.
  std::shared_ptr<ModelSource> source;
};

// Reads and optimises a network. Errors: kIo; kModel; kUnsupported; kUsage for options that do not
// fit the file.
Model LoadModel(const ModelOptions& options);

// Error kUsage: E10001 for an unknown name, a malformed file, or a library that does not fit the
// target; E10054 if no option names the device.
TargetSpec LoadTarget(const TargetOptions& options);
TargetSpec LoadTarget(std::string_view soc_version);

// ---- Precision options --------------------------------------------------------------------------

struct LoadedPrecision {
  PrecisionOptions options;
  std::vector<std::string> warnings;
};

// Checks the values first, then reads and checks the files. Error kUsage as CheckOptionValues(),
// for an unreadable file (E10001), and for the content of a file.
LoadedPrecision LoadPrecision(const PrecisionArguments& arguments, const TargetSpec& target);

struct OptionSet {
  TargetSpec target;
  LoadedPrecision precision;
  std::string fusion_switch_file;  // path; empty: not in the set
  DynamicShapes shapes;            // empty: not in the set
};

// Loads an option set. `text` is one of: the words themselves, as "--precision_mode=force_fp16
// --keep_dtype=k.cfg"; a file of such words; a folder with arguments.txt and the files that it
// names, such as a point of `tune`. ParseSetArguments() lists the words. A set with --soc_version
// or --ops_info replaces the whole of `target`. Error kUsage for other words, for a missing path,
// and as LoadTarget() and LoadPrecision().
OptionSet LoadOptionSet(const std::string& text, const TargetOptions& target);

struct ExplainRequest {
  std::string format = "table";  // table, json, csv
  std::string node;              // only this node, or "OpType::<IR type>"; empty: all
  bool steps = false;            // true: explains which nodes run as one step (explain_steps.h)
  bool unknown_names_are_warnings = false;
  ExplainLayout layout = {};  // layout of the table
  // Clauses to append to the reasons, by node name.
  std::map<std::string, std::string> findings = {};
};

// Checks the request before a model is read. Error kUsage: an unknown format.
void CheckExplainRequest(const ExplainRequest& request);

struct ExplainedText {
  std::string text;
  // Full sentences with the facts that the format cannot express (CSV expresses nodes only).
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};

// The text of `halftone explain`. Errors: kUsage for the request, and as ResolvePrecision().
ExplainedText ExplainText(const Model& model, const TargetSpec& target,
                          const PrecisionOptions& options, const ExplainRequest& request = {});

struct SmallestOptionsRequest {
  bool unknown_names_are_warnings = false;
  bool v2_names = false;  // true: names the mode by --precision_mode_v2 if that has a name for it
};

struct WrittenOptions {
  std::vector<std::string> arguments;  // "--precision_mode=force_fp16", ...
  std::size_t size = 0;                // number of options and of entries in their files
  std::vector<std::string> notes;      // what a format cannot express, and what was written instead
};

// Writes the smallest option set that resolves to the plan of `options` into `folder`:
// arguments.txt, the files that it names, and point.json, for LoadOptionSet() and ReadPoint(). The
// set also has the other inputs of the plan (src/api/load/plan_sources.h) and the fusion switches
// of the model. `models`: one network at each input shape of the set; the first decides precision.
// Errors as LoadTarget() and ResolvePrecision(); kUnsupported if no option set gives the plan; kIo.
WrittenOptions WriteSmallestOptions(std::span<const Model> models, const TargetOptions& target,
                                    const PrecisionOptions& options,
                                    const std::filesystem::path& folder,
                                    const SmallestOptionsRequest& request = {});

// Text of `halftone explain --diff`: the differences between two option sets, node by node.
ExplainedText ExplainDifference(const Model& model, const OptionSet& a, const OptionSet& b,
                                const ExplainRequest& request = {});

struct RunResult {
  std::string configuration;  // "force_fp16; the mode is the default"
  Measurement measurement;
  Hash128 plan_digest;
  std::optional<double> reference_top1;
  double reference_latency_s = 0;       // latency of the anchor
  std::string anchor = kFloat32Anchor;  // Anchor::name of the run that the latency is compared with
  std::int64_t sample_count = 0;
  bool representative = true;
  std::vector<std::string> kept_nodes;
  std::vector<std::string> low_precision_nodes;
  std::vector<std::string> warnings;
  std::string load_warning;  // sentence on other programs that used the machine; empty: little load
  // Sentences on nodes that made infinities or NaN: at most five; with --status_check=1 all of
  // them, or one that says there are none.
  std::vector<std::string> overflow;
  std::vector<std::string> judging = {};  // JudgingNotes() of the outputs
  bool shows_classes = true;              // RunFacts::shows_classes
  std::size_t steps = 0;                  // number of kernel calls in a run
  std::size_t tuned_steps = 0;            // number of these whose kernel operator tuning chose
  // Number of available samples. If it exceeds sample_count, the run ended early.
  std::int64_t planned_samples = 0;
  bool interrupted = false;  // RunHooks::stop_requested ended the run
  bool timed = false;        // the latency is known, maybe from fewer rounds than planned
  std::string no_latency;    // clause: why the time was too short for a latency; empty: it was not
};

// Callbacks that watch a run of a configuration and end it early. Each may be empty.
struct RunHooks {
  // Progress: kind of work ("accuracy", "float32", "timed runs"), number of finished pieces, and
  // number of all pieces (0: unknown).
  std::function<void(std::string_view what, std::size_t done, std::size_t planned)> on_progress;
  // Called when the accuracy is known, before the latency is measured. `shape`: index of the input
  // shape.
  std::function<void(const RunResult& result, std::size_t shape)> on_accuracy;
  // Called after on_accuracy with the complete result of a shape.
  std::function<void(const RunResult& result, std::size_t shape)> on_shape_end;
  // A true result ends the run after the current piece of work; the result covers the work done.
  std::function<bool()> stop_requested;
  // Time budget, at whose end the run ends after the current piece of work; null: no limit. Its
  // clock starts with the command, so that loading counts. If a latency is to be measured, accuracy
  // takes at most half of the remaining time. Regardless of the budget, the first sample runs, and
  // a metric of the user's own gets all samples.
  std::shared_ptr<const TimeBudget> time = nullptr;
};

// Configuration of a network, with the data and the kernels that it runs on.
struct RunSetup {
  const TargetSpec& target;
  const PrecisionOptions& precision;
  const DatasetOptions& data;
  // Kernel choices by input shape; shapes beyond the end have none.
  std::span<const KernelChoices> choices = {};
};

// Measures the accuracy and the latency of a configuration. Errors as ResolvePrecision() and
// LoadSamples(); kUnsupported if an overflow reaches an output.
RunResult RunConfiguration(const Model& model, const RunSetup& setup,
                           const MeasureSettings& settings = {}, const RunHooks& hooks = {});

// Does the same on given samples, with the default kernels.
RunResult RunOnSamples(const Model& model, const TargetSpec& target,
                       const PrecisionOptions& precision, const Dataset& samples,
                       const MeasureSettings& settings = {}, const RunHooks& hooks = {});

// Outputs that SaveOutputs() wrote.
struct SavedOutputs {
  std::vector<std::string> files;  // "0_logits.npy", "shape_1/0_logits.npy"
  std::size_t samples = 0;         // number of samples in the files; below `planned`: interrupted
  std::size_t planned = 0;         // number of all samples
  std::vector<std::string> notes;  // one sentence each, about the samples
};

// Runs the configuration once on each sample and writes one .npy file for each output into
// `folder`, which is created. A file contains the results of all samples, concatenated along the
// first axis; scalar results become a vector. Its name is the index and the name of the output,
// with _ in place of characters other than letters, digits, "." and "-". All results are held in
// memory until the end. After a stop, the files have the samples so far; without any sample,
// nothing is written. Errors: kIo; kUnsupported for an output type that .npy lacks.
SavedOutputs SaveOutputs(const Model& model, const RunSetup& setup, int threads,
                         const std::filesystem::path& folder, const RunHooks& hooks = {});

// Does the same for one network at several input shapes. The outputs at shape i are written to
// `folder`/shape_<i + 1>, with a samples.txt that has one line for each sample; for a single shape,
// they are written to `folder` itself. A note for each shape names its folder and the number of
// samples.
SavedOutputs SaveOutputs(std::span<const Model> profiles, const RunSetup& setup, int threads,
                         const std::filesystem::path& folder, const RunHooks& hooks = {});

struct KernelUse {
  std::string node;
  std::string op;
  std::string kernel;
  std::string dtype;
  std::vector<std::string> passed_over;  // "gemm.bf16.avx512: needs avx512_bf16"
};

// Kernel of each step of a configuration, and the reasons why faster kernels were passed over.
std::vector<KernelUse> ExplainKernels(const Model& model, const TargetSpec& target,
                                      const PrecisionOptions& precision,
                                      const KernelChoices& choices = {});
std::vector<KernelUse> ExplainKernels(const Graph& graph, const PrecisionPlan& plan,
                                      const KernelChoices& choices = {});

struct CheckOptions {
  double relative_tolerance = 1e-3;
  // Factor of the range (largest minus least value) of the expected output.
  double absolute_tolerance = 1e-5;
  int threads = 0;                                 // 0: all cores
  std::set<std::string, std::less<>> fusions_off;  // as ModelOptions
  std::int64_t max_memory = 0;                     // as ModelOptions
  RunHooks hooks = {};                             // a piece of work is one test data set
};

struct CheckResult {
  std::string folder;
  bool passed = false;
  std::size_t sets = 0;      // number of sets that were compared
  bool interrupted = false;  // a stop ended the check before the remaining sets
  // Largest |actual - expected| / (absolute_tolerance * range + relative_tolerance * |expected|)
  // over all elements; the check passes up to 1. The tolerances of a float16 or bfloat16 output are
  // at least a few units of its rounding; integers must be equal.
  double worst_deviation = 0;
  std::string detail;  // place of the largest deviation, or the error
};

// Runs FOLDER/model.onnx in float32 on each test_data_set_N of the folder and compares the results
// with the outputs there. An error in the folder is a failed result, not an exception.
CheckResult CheckFolder(const std::filesystem::path& folder, const CheckOptions& options = {});

// ---- Tuning -------------------------------------------------------------------------------------

// Forms of RuntimeArguments::runtime, for help: "ort:LIBRARY[,provider=...]".
std::vector<std::string> MeasureForms();

// Searches the Pareto front of latency and accuracy, confirms and reports it. A stopped search
// returns its results. Errors as CheckTuneOptions(); kUsage; kModel; kUnsupported, also for a
// baseline that cannot run; kIo; kDatabase.
TuneSummary Tune(const Model& model, const TuneOptions& options,
                 const TuneCallbacks& callbacks = {});

// Tunes one network at several input shapes (src/api/shape_profiles.h), with one configuration for
// all shapes. The latency of a point is the mean over the shapes, weighted by
// TuneOptions::shape_weights; its accuracy is measured on the samples of all shapes. Operators are
// probed and reported at the first shape. Errors as for one shape; kUnsupported if a shape has
// nodes that the first one lacks.
TuneSummary Tune(std::span<const Model> profiles, const TuneOptions& options,
                 const TuneCallbacks& callbacks = {});

// ---- Knowledge bases ----------------------------------------------------------------------------

// Error kUsage if TUNE_BANK_PATH names the location and it is not a folder that can be read,
// written and searched. Other locations are not checked: a writer creates them.
void CheckBankUsable(const BankLocation& location);

struct StoredConfiguration {
  PrecisionOptions precision;
  Trial trial;
  std::string recorded_at;
  Hash128 workload_key;
  int threads = 0;
  std::vector<std::string> warnings;  // for example: measured by another version
};

// Loads a configuration from a front of this network in the bank. `select`: "" for the chosen
// point, "fastest", "most_accurate", or the number of a point from 1. Errors: kDatabase if there is
// no bank, or no front of this network at these input shapes; kUsage if there is no such point.
StoredConfiguration LoadStored(const Model& model, const std::filesystem::path& bank,
                               std::string_view soc_version, std::string_view select);
// Does the same for a network at several input shapes. Of several fronts, takes the one that ranks
// first by these criteria, in this order: tuned for all the shapes (a front of the first shape
// alone gives a warning), with the operator library of `target` (another gives a warning), on this
// CPU, on halftone's own kernels, the newest.
StoredConfiguration LoadStored(std::span<const Model> profiles, const std::filesystem::path& bank,
                               const TargetSpec& target, std::string_view select);

// Findings of the search about a stored configuration, by node (search/explain/choice_findings.h).
// Empty if the bank has none, because the search probed nothing or was limited to some modes or
// kept operators.
std::map<std::string, std::string> StoredFindings(const Model& model,
                                                  const std::filesystem::path& bank,
                                                  const TargetSpec& target,
                                                  const StoredConfiguration& configuration);

}  // namespace halftone
