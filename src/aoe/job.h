// AOE job, made from a command line with all checks that need no model.
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

// Environment of the command: values of variables (empty: not set), and the current folder.
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
  std::vector<std::filesystem::path> models;  // ModelsOf(): at least one
  DynamicShapes shapes;
  FusionSwitches fusion_switches;  // --fusion_switch_file
  PrecisionArguments precision;    // configuration before tuning, the baseline
  DatasetOptions data;
  Constraints constraints;
  MeasureSettings measure;
  std::size_t max_trials = 200;
  std::optional<double> budget_s;   // --budget: seconds for all models, since the command began
  bool in_pairs = false;            // --Fdeeper_opat
  double operator_budget_s = 4.0;   // job 2: seconds for the runs that time operators
  std::optional<TuneOps> tune_ops;  // empty: all operators
  int run_loop = 10;                // runs of the network in a profile
  bool progress_bar = true;
  BankLocation bank;
  std::filesystem::path work_root;    // folder of aoe_workspace
  std::filesystem::path result_root;  // folder of the result file
  std::filesystem::path output;       // --output; empty: a folder below aoe_workspace
  bool repeat = false;                // REPEAT_TUNE: also measures what the bank has
  bool reload = false;                // --reload: continues an interrupted job
  // Folder of the job to continue; empty: the newest unfinished job of the model.
  std::filesystem::path reload_folder;
  // Typed options by name that must be the same when the job is continued.
  std::map<std::string, std::string, std::less<>> identity;
  std::vector<std::string> notes;  // one sentence for each option without effect
  std::vector<std::string> warnings;
};

// Makes the job of a command line. Reads aoe.ini (in the current folder, or else in
// $HOME/Ascend/latest/tools/aoe/conf), --tune_ops_file, --fusion_switch_file and --insert_op_conf.
// Error kUsage: E10054 if --job_type or --model is missing; E10056 for options that exclude each
// other; E10001 for a wrong value, a missing file, or an option of the other job type; an unusable
// bank or work path.
AoeJob MakeAoeJob(const ToolCommandLine& line, const AoeEnvironment& environment);

}  // namespace halftone
