#include <CLI/CLI.hpp>
#include <memory>

#include "src/api/bank/bank_upkeep.h"
#include "src/cli/bank_flags.h"
#include "src/cli/bank_option.h"
#include "src/cli/command.h"
#include "src/cli/shared_options.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

struct UpkeepFlags {
  BankFlags bank;
  std::vector<std::string> from;
  std::string file;
  PruneRequest prune;
  bool same_cpu = false;

  [[nodiscard]] std::filesystem::path path() const { return ResolveBank(bank.op_bank_path).path; }
};

void DefineMerge(CLI::App& app) {
  auto flags = std::make_shared<UpkeepFlags>();
  CLI::App* merge = app.add_subcommand(
      "merge", "Add what other banks hold to the bank of --op_bank_path; twice adds nothing");
  AddFlags(*merge, flags->bank);
  merge
      ->add_option("from", flags->from,
                   "Banks to read: folders above <soc_version>, or halftone.db files")
      ->required();
  merge->add_flag(
      "--same_cpu", flags->same_cpu,
      "Merge nothing where one holds measurements of another model of CPU than the bank, "
      "or than this machine where the bank holds none; default: a warning");
  merge->final_callback([flags] {
    const std::vector<std::filesystem::path> from(flags->from.begin(), flags->from.end());
    PrintText(MergeBanks(from, flags->path(), flags->bank.soc_version, flags->same_cpu));
  });
}

void DefineVerify(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<UpkeepFlags>();
  CLI::App* verify = app.add_subcommand(
      "verify", "Check every page, table and row; a line per finding, exit code 1 if there is one");
  AddFlags(*verify, flags->bank);
  verify->final_callback([flags, &exit_code] {
    const BankVerdict verdict = CheckBank(flags->path(), flags->bank.soc_version);
    PrintText(verdict.text);
    exit_code = verdict.intact ? kExitDone : kExitFailure;
  });
}

void DefinePrune(CLI::App& app) {
  auto flags = std::make_shared<UpkeepFlags>();
  PruneRequest& request = flags->prune;
  CLI::App* prune = app.add_subcommand(
      "prune", "Remove what the options select, say what went, and give the space back");
  AddFlags(*prune, flags->bank);
  prune->add_flag("--other_versions", request.other_versions,
                  "Workloads, operator timings, profiles and calibrations of another halftone, "
                  "kernel table or instruction set than this one");
  RequireRange(prune->add_option("--older_than", request.older_than_days,
                                 "Workloads to which nothing was added for so many days"),
               limits::kCountRange);
  RequireRange(
      prune->add_option("--keep_newest", request.keep_newest,
                        "The N newest workloads of each network stay in any case; without the two "
                        "options above all others go"),
      limits::kPositiveCountRange);
  prune->add_flag("--superseded", request.superseded,
                  "In workloads that stay: fronts but the newest, and what was measured again "
                  "later, unless the newest front names it; operator timings, profiles and "
                  "calibrations of which there are newer ones");
  prune->add_flag("--dominated", request.dominated,
                  "In workloads that stay: trials that the newest front beats in accuracy and, "
                  "beyond both intervals, in latency; a search that proposes them measures again");
  prune->add_flag("--dry_run", request.dry_run, "Say what would go, and change nothing");
  prune->final_callback(
      [flags] { PrintText(PruneBank(flags->path(), flags->bank.soc_version, flags->prune)); });
}

void DefineExport(CLI::App& app) {
  auto flags = std::make_shared<UpkeepFlags>();
  CLI::App* command =
      app.add_subcommand("export", "Everything in the bank as JSON lines (docs/internals/bank.md)");
  AddFlags(*command, flags->bank);
  command->add_option("--output", flags->file, "File to write; default: standard output");
  command->final_callback([flags] {
    if (!flags->file.empty()) {
      PrintText(ExportBank(flags->path(), flags->bank.soc_version, flags->file));
      return;
    }
    ExportBank(flags->path(), flags->bank.soc_version,
               [](std::string_view lines) { PrintText(lines); });
  });
}

void DefineImport(CLI::App& app) {
  auto flags = std::make_shared<UpkeepFlags>();
  CLI::App* command = app.add_subcommand(
      "import",
      "Add what an export, of any version, holds to the bank of --op_bank_path; twice adds "
      "nothing");
  AddFlags(*command, flags->bank);
  command->add_option("file", flags->file, "File of `bank export`; -: standard input")->required();
  command->final_callback(
      [flags] { PrintText(ImportBank(flags->file, flags->path(), flags->bank.soc_version)); });
}

}  // namespace

void DefineBankUpkeep(CLI::App& app, int& exit_code) {
  DefineMerge(app);
  DefineVerify(app, exit_code);
  DefinePrune(app);
  DefineExport(app);
  DefineImport(app);
}

}  // namespace halftone
