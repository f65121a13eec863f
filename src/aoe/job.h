// An AOE job, with all checks done that need no model.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/aoe/configuration.h"
#include "src/aoe/option_table.h"
#include "src/aoe/tune_ops_file.h"
#include "src/api/halftone.h"

namespace halftone {

enum class AoeJobType : std::uint8_t { kSubgraph = 1, kOperator = 2 };

// Values of environment variables, empty when unset, and the folder of the process.
struct AoeEnvironment {
  std::string tune_bank_path;
  std::string ascend_cache_path;
  std::string ascend_work_path;
  std::string repeat_tune = {};
  std::string home;
  std::filesystem::path current_folder;
};

struct AoeJob {
  AoeJobType type = AoeJobType::kOperator;
  std::vector<std::filesystem::path> models;  // one, or all of --model_path in order of their names
  DynamicShapes shapes;
  FusionSwitches fusion_switches;  // --fusion_switch_file
  PrecisionArguments precision;    // the configuration called "before"
  DatasetOptions data;
  Constraints constraints;
  MeasureSettings measure;
  std::size_t max_trials = 200;
  std::optional<double> budget_s;   // --budget: of all models, from the begin of the command
  bool in_pairs = false;            // --Fdeeper_opat
  double operator_budget_s = 4.0;   // of job 2's timed operator runs
  std::optional<TuneOps> tune_ops;  // empty: all operators
  int run_loop = 10;                // runs of the network in a profile
  bool progress_bar = true;
  BankLocation bank;
  std::filesystem::path work_root;      // holds aoe_workspace
  std::filesystem::path result_root;    // holds the result file
  std::filesystem::path output;         // --output; empty: below aoe_workspace
  bool repeat = false;                  // REPEAT_TUNE: measure what the bank knows, too
  bool reload = false;                  // continue an interrupted job ...
  std::filesystem::path reload_folder;  // ... this one; empty: the newest of the model
  // Typed options that a continued job must have unchanged.
  std::map<std::string, std::string, std::less<>> identity;
  std::vector<std::string> notes;  // options without effect, a sentence each
  std::vector<std::string> warnings;
};

// Reads aoe.ini (from the current folder, else $HOME/Ascend/latest/tools/aoe/conf), the
// --tune_ops_file and the --fusion_switch_file. Errors kUsage: E10054 (--job_type, --model
// missing), E10056 (mutually exclusive options), E10001 (values, missing files), options of the
// other job type, a framework other than ONNX or one that the suffix contradicts, an unusable bank
// or work path.
AoeJob MakeAoeJob(const ToolCommandLine& line, const AoeEnvironment& environment);

}  // namespace halftone
