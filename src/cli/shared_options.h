// Options that several commands have, defined once so that they read and behave the same.
#pragma once

#include <string>
#include <string_view>

#include "src/api/dynamic_shapes.h"
#include "src/api/halftone.h"
#include "src/base/limits.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace halftone {

// Makes the option, or each value of a list, take decimal numbers of the range alone; returns it.
// Every option with a number has a range.
CLI::Option* RequireRange(CLI::Option* option, const WholeRange& range);
CLI::Option* RequireRange(CLI::Option* option, const RealRange& range);

struct ModelFlags {
  std::string model;
  DynamicShapes shapes;
  std::string fusion_switch_file;
  std::string max_memory;
  TargetOptions target;
};

void AddModelFlags(CLI::App& app, ModelFlags& flags, bool model_required = true);

// --config, --quiet, --verbose; part of AddModelFlags().
void AddProgramFlags(CLI::App& app);

// --max_memory in bytes; 0: none. Error kUsage.
std::int64_t MaxMemoryOf(const ModelFlags& flags);

struct DataFlags {
  DatasetOptions options;
};

void AddDataFlags(CLI::App& app, DataFlags& flags);

void AddPrecisionFlags(CLI::App& app, PrecisionArguments& arguments);

// --threads, --seed
void AddMeasureFlags(CLI::App& app, MeasureSettings& settings);

// --confidence: `confidence` for ParseConfidence().
CLI::Option* AddConfidenceFlag(CLI::App& app, std::string& confidence);

// --metric, --metric_better, --metric_timeout
void AddMetricFlags(CLI::App& app, MetricArguments& arguments);

// --measure, --measure_format, --measure_timeout, --measure_inputs
void AddRuntimeFlags(CLI::App& app, RuntimeArguments& arguments);

// --shape_weights
void AddShapeWeightsFlag(CLI::App& app, std::vector<double>& weights);

// --operator_tuning: `text` for OperatorTuningModeOf(), whose Error kUsage names the modes.
void AddOperatorTuningFlag(CLI::App& app, std::string& text);
OperatorTuningMode OperatorTuningModeOf(std::string_view text);

// The network at each input shape of --input_shape and --dynamic_..., or at those that the samples
// have (ShapesOfSamples()); a note says which, and `use`: "which are tuned for together". Prints
// notes. Errors as LoadSampleProfiles().
std::vector<Model> LoadModelsAtShapes(const ModelFlags& flags, const DatasetOptions& data,
                                      std::string_view use);

// Loads one input shape. Error kUsage for several, which `command` does not take.
Model LoadModelOf(const ModelFlags& flags, const DatasetOptions& data, std::string_view command);
// Loads each input shape of the flags, and one model per distinct trace of the samples of `data`;
// null: no samples.
std::vector<Model> LoadModelsOf(const ModelFlags& flags, const DatasetOptions* data);

// "note: ..." and "warning: ..." lines on stderr.
void PrintNotes(const std::vector<std::string>& notes);
void PrintWarnings(const std::vector<std::string>& warnings);

}  // namespace halftone
