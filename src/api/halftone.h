// The public interface of halftone: load a network, explain, run, tune.
//
// examples/01_tune_model.cc loads a network, tunes it and prints its front.
//
// Every function throws halftone::Error (src/base/error.h) with one sentence that says what was
// expected, found, where, and what to do. Values are regular; each object is of one thread.
#pragma once

#include <chrono>
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

#include "search/operators/operator_tuner.h"
#include "search/trial/constraints.h"
#include "search/trial/trial.h"
#include "search/tuner.h"
#include "src/accuracy/dataset.h"
#include "src/accuracy/loss_metric.h"
#include "src/api/dynamic_shapes.h"
#include "src/api/measure_settings.h"
#include "src/api/tune_options.h"
#include "src/base/error.h"
#include "src/exec/kernel_choices.h"
#include "src/ir/graph.h"
#include "src/onnx/reader.h"
#include "src/precision/files/option_table.h"
#include "src/precision/precision_options.h"
#include "src/precision/precision_plan.h"
#include "src/report/formats.h"
#include "src/report/tune_summary.h"
#include "src/target/target_spec.h"

namespace halftone {

// "0.1.0"
std::string_view Version();

// What `halftone --version` prints: the version, the CPU, which of the instruction sets that
// kernels know it has, and which of them are used. Error kUsage for an unknown HALFTONE_MAX_ISA.
std::string VersionText();

// ---- Networks and targets -----------------------------------------------------------------------

struct ModelOptions {
  std::filesystem::path path;  // an .onnx file, or a folder that holds model.onnx
  std::string input_shape;     // --input_shape: "name:1,3,224,224;name2:1,10"
  // Dimensions that neither the model nor input_shape fixes are taken from these inputs (see
  // DatasetOptions::inputs), where they say more than "1"; so are values that shapes or branches
  // depend on.
  std::string inputs;
  // --max_memory in bytes: what weights and activations of float32 runs may need at least; 0: no
  // limit. A model that needs more is kUnsupported, before the memory is taken.
  std::int64_t max_memory = 0;
  // Error kUsage for a dimension that none of these fixes, in place of 1 and a note.
  bool refuse_free_dimensions = false;
  // Names of fusions that are not made (docs/passes.md). Error kUsage for others.
  std::set<std::string, std::less<>> fusions_off;
  // The --fusion_switch_file that says so (FusionSwitches::file); empty: one that lists
  // fusions_off.
  std::string fusion_switches;
};

// What graphs of one model share; src/api/shape_profiles.h makes it.
struct ModelSource;

struct Model {
  std::string name;  // the folder's name for model.onnx, else the file's without its ending
  std::filesystem::path path;
  Graph graph;  // imported and optimised
  // Of the graph as imported, and of what it became where fusions_off changes that.
  Hash128 hash;
  std::string input_shapes;  // "data_0:1,3,224,224"
  // Content of a --fusion_switch_file that belongs to every option set written for this model;
  // empty: none.
  std::string fusion_switches;
  std::vector<std::string> notes;  // full sentences, for example about free dimensions
  // Values that shapes or branches depend on, as the first sample of ModelOptions::inputs has them.
  // Samples for which they differ are refused (docs/input_shapes.md).
  std::vector<TracedValue> traced;
  ImportOptions import_options;  // how it was read, but for the sample
  ModelOptions options;          // what LoadModel() was given
  // Of models that are read at several input shapes; null: only this one was read.
  std::shared_ptr<ModelSource> source;
};

Model LoadModel(const ModelOptions& options);

// A --fusion_switch_file, for ModelOptions.
struct FusionSwitches {
  std::set<std::string, std::less<>> off;
  std::string file;                   // its content, as it is
  std::vector<std::string> warnings;  // about names of no fusion
};

// Nothing for an empty path. Error kUsage with E10001: no such file, or not of the form in
// docs/fusions.md.
FusionSwitches LoadFusionSwitches(const std::string& path);

// Errors: kUsage with E10001 (unknown name, a file that is not right), E10054 (neither option says
// which device).
TargetSpec LoadTarget(const TargetOptions& options);
TargetSpec LoadTarget(std::string_view soc_version);

// "host" and every SoC version that halftone knows.
std::vector<std::string> TargetNames();

// ---- Precision options --------------------------------------------------------------------------

struct LoadedPrecision {
  PrecisionOptions options;
  std::vector<std::string> warnings;
};

// Values and what excludes what first, then the files. Errors: kUsage as CheckOptionValues(), for
// files that cannot be read (E10001) and for what is in them.
LoadedPrecision LoadPrecision(const PrecisionArguments& arguments, const TargetSpec& target);

struct OptionSet {
  TargetSpec target;
  LoadedPrecision precision;
  std::string fusion_switch_file;  // its path; empty: the set names none
  DynamicShapes shapes;            // empty: the set names none
};

// One of two option sets that are compared: "--precision_mode=force_fp16 --keep_dtype=k.cfg", a
// file that holds such words, or a folder with arguments.txt and the files it names (a point of
// `tune`); ParseSetArguments() says which words there are. --soc_version and --ops_info replace
// those of `target`. Error kUsage for other words, for a path that is not there, and as
// LoadTarget() and LoadPrecision().
OptionSet LoadOptionSet(const std::string& text, const TargetOptions& target);

struct ExplainRequest {
  std::string format = "table";  // table, json, csv
  std::string node;              // only this node, or "OpType::<IR type>"; empty: all
  bool steps = false;            // what runs as one step, and what keeps neighbours apart
  bool unknown_names_are_warnings = false;
};

// What is wrong with the request by itself, before a model is read. Error kUsage: the format.
void CheckExplainRequest(const ExplainRequest& request);

struct ExplainedText {
  std::string text;
  // What the format has no place for (CSV: all but the nodes), full sentences.
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};

// The text of `halftone explain`. Errors: kUsage for the request, and as ResolvePrecision().
ExplainedText ExplainText(const Model& model, const TargetSpec& target,
                          const PrecisionOptions& options, const ExplainRequest& request = {});

struct WrittenOptions {
  std::vector<std::string> arguments;  // "--precision_mode=force_fp16", ...
  std::size_t size = 0;                // options and entries in their files
  std::vector<std::string> notes;      // what a format could not express, and what was used instead
};

// The smallest option set that resolves to the same plan as `options`, with everything that this
// plan depends on (src/api/load/plan_sources.h, and the fusion switches of the model), as
// arguments.txt, the files it names and point.json in `folder`: LoadOptionSet() and ReadPoint()
// read it. `models`: one network at the input shapes that the set names, precision is decided at
// the first. Errors as LoadTarget() and ResolvePrecision(), kUnsupported when no option set of
// files gives the plan, kIo.
WrittenOptions WriteSmallestOptions(std::span<const Model> models, const TargetOptions& target,
                                    const PrecisionOptions& options,
                                    const std::filesystem::path& folder,
                                    bool unknown_names_are_warnings = false);

// What differs between two option sets, node by node: the text of `halftone explain --diff`.
ExplainedText ExplainDifference(const Model& model, const OptionSet& a, const OptionSet& b,
                                const ExplainRequest& request = {});

struct RunResult {
  Measurement measurement;
  Hash128 plan_digest;
  std::optional<double> reference_top1;
  double reference_latency_s = 0;
  std::int64_t sample_count = 0;
  bool representative = true;
  std::vector<std::string> kept_nodes;
  std::vector<std::string> low_precision_nodes;
  std::vector<std::string> warnings;
  std::string load_warning;  // what other programs used of the machine meanwhile; empty: little
  // A sentence per node that made values infinite or NaN: five; --status_check=1: all, or "none".
  std::vector<std::string> overflow;
  std::size_t steps = 0;        // kernel calls of a run
  std::size_t tuned_steps = 0;  // of these, with a kernel that operator tuning chose
};

// Error kUnsupported when such values reach an output.
RunResult RunConfiguration(const Model& model, const TargetSpec& target,
                           const PrecisionOptions& precision, const DatasetOptions& data,
                           const MeasureSettings& settings = {}, const KernelChoices& choices = {});

struct KernelUse {
  std::string node;
  std::string op;
  std::string kernel;
  std::string dtype;
  std::vector<std::string> passed_over;  // "gemm.bf16.avx512: needs avx512_bf16"
};

// Which kernel every step of a configuration takes, and why not a better one.
std::vector<KernelUse> ExplainKernels(const Model& model, const TargetSpec& target,
                                      const PrecisionOptions& precision,
                                      const KernelChoices& choices = {});

struct CheckOptions {
  double relative_tolerance = 1e-3;
  // Times the range (largest minus least value) of the expected output.
  double absolute_tolerance = 1e-5;
  int threads = 0;
  std::set<std::string, std::less<>> fusions_off;  // as ModelOptions
  std::int64_t max_memory = 0;                     // as ModelOptions
};

struct CheckResult {
  std::string folder;
  bool passed = false;
  std::size_t sets = 0;
  // The worst |actual - expected| / (absolute_tolerance * range + relative_tolerance * |expected|):
  // passes up to 1.
  double worst_deviation = 0;
  std::string detail;  // where the worst is, or the error
};

// Runs model.onnx of a folder in float32 on each test_data_set_N and compares with its outputs.
// Errors of the folder are a failed result, not an exception.
CheckResult CheckFolder(const std::filesystem::path& folder, const CheckOptions& options = {});

// ---- Operator tuning ----------------------------------------------------------------------------

struct OperatorTuningOptions {
  DatasetOptions data;                       // its first sample is what runs
  MeasureSettings measure;                   // full_budget_s: of the comparison of the networks
  double budget_s = 4.0;                     // of the runs in which operators are timed
  std::filesystem::path bank;                // --op_bank_path; empty: no knowledge base
  std::function<bool(const Node&)> include;  // nodes to tune; empty: all
};

struct TunedOperator {
  OperatorTiming timing;
  std::vector<std::string> nodes;  // steps of the network that are this operator
  bool known = false;              // the bank had it: nothing was measured
};

struct OperatorTuningResult {
  std::vector<TunedOperator> operators;  // that several kernels can run, in order of the network
  // The steps of each such operator that a stop left undecided.
  std::vector<std::vector<std::string>> undecided;
  // The network with the fastest kernels against the static order; empty where no step changes.
  std::optional<OperatorTiming> network;
  bool network_known = false;
  // New choices made the network as a whole slower and are none: the static order stays.
  bool dropped = false;

  // Time of the network with the chosen kernels / in the static order; 1 for a tie, that is where
  // the interval holds 1.
  [[nodiscard]] double ratio() const;
};

// Finds the fastest kernel for every operator of a configuration (docs/measuring.md). Errors as
// ResolvePrecision() and Compile(), kDatabase. A stopped call returns and keeps what is decided.
OperatorTuningResult TuneOperators(const Model& model, const TargetSpec& target,
                                   const PrecisionOptions& precision,
                                   const OperatorTuningOptions& options,
                                   const OperatorTunerHooks& hooks = {});

// What operator tuning chose for this network on so many threads (0: all cores) and this CPU. Error
// kDatabase for a bank that is not there or cannot be read.
KernelChoices LoadKernelChoices(const Model& model, const std::filesystem::path& bank,
                                std::string_view soc_version, int threads);

// A table of the operators with another kernel, the most saved time first, and a line about the
// others and the network.
std::string FormatOperatorTable(const OperatorTuningResult& result);

// What is wrong with the options by themselves, before a model is read. Error kUsage.
void CheckTuneOptions(const TuneOptions& options);

// Errors as CheckTuneOptions(), kUsage, kModel, kUnsupported (also a baseline that cannot run),
// kIo, kDatabase. A stopped search returns what it has.
TuneSummary Tune(const Model& model, const TuneOptions& options,
                 const TuneCallbacks& callbacks = {});

// ---- Knowledge bases ----------------------------------------------------------------------------

struct BankLocation {
  std::filesystem::path path;
  std::string source;  // "TUNE_BANK_PATH", "ASCEND_CACHE_PATH", "option", "default"
};

// Who asks: the orders of the places differ (docs/aoe.md, "Where the bank is").
enum class BankUse : std::uint8_t {
  kReadOperators,  // --op_bank_path: TUNE_BANK_PATH, the option, the default
  kReadSubgraphs,  // --mdl_bank_path: the option, TUNE_BANK_PATH, the default
  kWrite,          // aoe: TUNE_BANK_PATH, ASCEND_CACHE_PATH/aoe_data, the default
};

// The texts of the option and of the environment, empty when unset.
struct BankPlaces {
  std::string option;
  std::string tune_bank_path;
  std::string ascend_cache_path;
  std::string home;
};

// The default is that of the specification if it exists, else $HOME/.local/share/halftone/op_bank.
BankLocation FindBank(BankUse use, const BankPlaces& places);

// Error kUsage unless a bank that TUNE_BANK_PATH names exists as a folder that can be read, written
// and searched. Other places are made when they are written.
void CheckBankUsable(const BankLocation& location);

struct StoredConfiguration {
  PrecisionOptions precision;
  Trial trial;
  std::string recorded_at;
  std::vector<std::string> warnings;  // for example: measured by another version
};

// The configuration that the newest front of this network in the bank names. `select`: "" the
// chosen one, "fastest", "most_accurate", or the number of a point from 1. Errors kDatabase/kUsage
// when there is no bank, no front for this network and these shapes, or no such point.
StoredConfiguration LoadStored(const Model& model, const std::filesystem::path& bank,
                               std::string_view soc_version, std::string_view select);

// Texts of `bank list` and `bank show`.
std::string ListBank(const std::filesystem::path& bank, std::string_view soc_version);
std::string ShowBank(const std::filesystem::path& bank, std::string_view soc_version,
                     std::string_view workload_prefix);

}  // namespace halftone
