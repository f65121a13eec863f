// Options that several commands have, defined once so that they read and behave the same.
#pragma once

#include <string>
#include <string_view>

#include "src/api/dynamic_shapes.h"
#include "src/api/halftone.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace halftone {

// Of the search of tune and retune.
inline constexpr std::string_view kDefaultBudget = "10min";

// Makes the option refuse values below `least`, with a message that says so; returns the option.
CLI::Option* RequireAtLeast(CLI::Option* option, double least);

struct ModelFlags {
  std::string model;
  DynamicShapes shapes;
  std::string fusion_switch_file;
  std::string max_memory;
  TargetOptions target;
};

void AddModelFlags(CLI::App& app, ModelFlags& flags, bool model_required = true);

// --max_memory in bytes; 0: none. Error kUsage.
std::int64_t MaxMemoryOf(const ModelFlags& flags);

// --soc_version, --ops_info; part of AddModelFlags().
void AddTargetFlags(CLI::App& app, TargetOptions& target);

struct DataFlags {
  DatasetOptions options;
};

void AddDataFlags(CLI::App& app, DataFlags& flags);

void AddPrecisionFlags(CLI::App& app, PrecisionArguments& arguments);

// --threads, --seed
void AddMeasureFlags(CLI::App& app, MeasureSettings& settings);

// --metric, --metric_better, --metric_timeout
void AddMetricFlags(CLI::App& app, MetricArguments& arguments);

// --op_bank_path, and what it resolves to (see FindBank); `note` is printed by the caller when the
// environment overrides the option.
void AddBankFlag(CLI::App& app, std::string& op_bank_path);
BankLocation ResolveBank(const std::string& op_bank_path);

// "note: ..." lines on stderr say where the target's libraries come from.
TargetSpec LoadTargetOf(const TargetOptions& options);

// At one input shape. Error kUsage where the flags give several, which `command` does not take.
Model LoadModelOf(const ModelFlags& flags, const std::string& inputs, std::string_view command);
// At each input shape that the flags give, and in each way that the samples of `data` have shapes
// that depend on them; null: there are none.
std::vector<Model> LoadModelsOf(const ModelFlags& flags, const DatasetOptions* data);

// "note: ..." and "warning: ..." lines on stderr.
void PrintNotes(const std::vector<std::string>& notes);
void PrintWarnings(const std::vector<std::string>& warnings);

}  // namespace halftone
