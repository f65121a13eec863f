// An AOE job with everything checked that can be checked before a model is read.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/aoe/command_line.h"
#include "src/aoe/configuration.h"
#include "src/aoe/tune_ops_file.h"
#include "src/api/halftone.h"

namespace halftone {

enum class AoeJobType : std::uint8_t { kSubgraph = 1, kOperator = 2 };

// Values of environment variables, empty when unset, and where the process was started.
struct AoeEnvironment {
  std::string tune_bank_path;
  std::string ascend_cache_path;
  std::string ascend_work_path;
  std::string home;
  std::filesystem::path current_folder;
};

struct AoeJob {
  AoeJobType type = AoeJobType::kOperator;
  std::vector<std::filesystem::path> models;  // one, or all of --model_path in order of their names
  std::string input_shape;
  FusionSwitches fusion_switches;  // --fusion_switch_file
  PrecisionArguments precision;    // the configuration that "before" means
  DatasetOptions data;
  Constraints constraints;
  MeasureSettings measure;
  std::size_t max_trials = 200;
  bool in_pairs = false;            // --Fdeeper_opat
  double operator_budget_s = 4.0;   // of the runs in which job 2 times operators
  std::optional<TuneOps> tune_ops;  // empty: all operators
  int run_loop = 10;                // runs of the network in a profile
  bool progress_bar = true;
  BankLocation bank;
  std::filesystem::path work_root;      // holds aoe_workspace
  std::filesystem::path result_root;    // holds the result file
  std::filesystem::path output;         // --output; empty: below aoe_workspace
  bool reload = false;                  // continue an interrupted job ...
  std::filesystem::path reload_folder;  // ... this one; empty: the newest of the model
  // What the user typed, but for what a continued job may change: such a job has the same.
  std::map<std::string, std::string, std::less<>> identity;
  std::vector<std::string> notes;  // options without effect, a sentence each
  std::vector<std::string> warnings;
};

// Reads aoe.ini (from the current folder, else $HOME/Ascend/latest/tools/aoe/conf), the
// --tune_ops_file and the --fusion_switch_file. Errors kUsage: E10054 (--job_type, --model
// missing), E10056 (options that exclude each other), E10001 (values, files that are not there),
// options of the other job type, a framework other than ONNX or one that the suffix contradicts, a
// bank or work path that cannot be used.
AoeJob MakeAoeJob(const AoeCommandLine& line, const AoeEnvironment& environment);

}  // namespace halftone
