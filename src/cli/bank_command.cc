#include <CLI/CLI.hpp>
#include <memory>

#include "src/cli/bank_flags.h"
#include "src/cli/bank_option.h"
#include "src/cli/command.h"
#include "src/cli/shared_options.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

struct ShowFlags {
  BankFlags bank;
  std::string workload;
};

}  // namespace

void AddFlags(CLI::App& app, BankFlags& flags) {
  AddBankFlag(app, flags.op_bank_path);
  app.add_option("--soc_version", flags.soc_version, "Target whose bank it is")
      ->capture_default_str();
}

void DefineBankCommand(CLI::App& app, int& exit_code) {
  app.require_subcommand(1);
  auto flags = std::make_shared<ShowFlags>();
  const auto path = [flags] { return ResolveBank(flags->bank.op_bank_path).path; };
  CLI::App* list = app.add_subcommand(
      "list", "One line per workload: network, shapes, machine, trials, last change");
  AddFlags(*list, flags->bank);
  list->final_callback([=] { PrintText(ListBank(path(), flags->bank.soc_version)); });
  CLI::App* show = app.add_subcommand(
      "show", "The newest front, all trials and the tuned operators of one workload");
  AddFlags(*show, flags->bank);
  show->add_option(
      "workload", flags->workload,
      "Key of the workload or its first digits, as `bank list` prints it; default: the newest");
  show->final_callback(
      [=] { PrintText(ShowBank(path(), flags->bank.soc_version, flags->workload)); });
  DefineBankUpkeep(app, exit_code);
}

}  // namespace halftone
