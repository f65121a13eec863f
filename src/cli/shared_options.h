// Options that several commands have, defined once so that they are the same in each.
#pragma once

#include <string>
#include <string_view>

#include "src/api/dynamic_shapes.h"
#include "src/api/halftone.h"
#include "src/base/limits.h"
#include "src/cli/parser_classes.h"

namespace halftone {

// Restricts the option, or each value of a list, to decimal numbers in the range. Returns the
// option. Every numeric option has a range.
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

// Adds --config, --quiet and --verbose. AddModelFlags() includes them.
void AddProgramFlags(CLI::App& app);

// Value of --max_memory in bytes; 0: not given. Error kUsage.
std::int64_t MaxMemoryOf(const ModelFlags& flags);

struct DataFlags {
  DatasetOptions options;
};

void AddDataFlags(CLI::App& app, DataFlags& flags);

void AddPrecisionFlags(CLI::App& app, PrecisionArguments& arguments);

// Adds --threads and --seed.
void AddMeasureFlags(CLI::App& app, MeasureSettings& settings);

// Adds --confidence. ParseConfidence() reads the text.
CLI::Option* AddConfidenceFlag(CLI::App& app, std::string& confidence);

// Adds --metric, --metric_better and --metric_timeout.
void AddMetricFlags(CLI::App& app, MetricArguments& arguments);

// Adds --measure, --measure_format, --measure_timeout and --measure_inputs.
void AddRuntimeFlags(CLI::App& app, RuntimeArguments& arguments);

// Adds --shape_weights.
void AddShapeWeightsFlag(CLI::App& app, std::vector<double>& weights);

// Adds --operator_tuning. OperatorTuningModeOf() reads the text.
void AddOperatorTuningFlag(CLI::App& app, std::string& text);
// Parses the value of --operator_tuning. Error kUsage for another text, naming the modes.
OperatorTuningMode OperatorTuningModeOf(std::string_view text);

// Reads the network at each input shape of the flags or, if these give no shape, at the shapes of
// the samples (ShapesOfSamples()). A note lists these if they are several; the note contains `use`,
// a clause on their purpose: "which are tuned for together". Prints the notes of the models. Errors
// as ShapesOfSamples() and LoadSampleProfiles().
std::vector<Model> LoadModelsAtShapes(const ModelFlags& flags, const DatasetOptions& data,
                                      std::string_view use);

// Reads the network at the input shape of the flags, and prints its notes. Errors: kUsage for
// several shapes, which `command` does not take; those of LoadModel().
Model LoadModelOf(const ModelFlags& flags, const DatasetOptions& data, std::string_view command);
// Reads the network at each input shape of the flags, and once more for each further trace of the
// samples `data` (null: no samples). Prints the notes. Errors as LoadSampleProfiles().
std::vector<Model> LoadModelsOf(const ModelFlags& flags, const DatasetOptions* data);

// Print "note: ..." and "warning: ..." lines on standard error.
void PrintNotes(const std::vector<std::string>& notes);
void PrintWarnings(const std::vector<std::string>& warnings);

}  // namespace halftone
