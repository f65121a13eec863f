#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "src/cli/command.h"
#include "src/cli/shared_options.h"

namespace halftone {
namespace {

struct BankFlags {
  std::string op_bank_path;
  std::string soc_version = "host";
  std::string workload;
};

void AddFlags(CLI::App& app, BankFlags& flags) {
  AddBankFlag(app, flags.op_bank_path);
  app.add_option("--soc_version", flags.soc_version, "Target whose bank is read")
      ->capture_default_str();
}

}  // namespace

void DefineBankCommand(CLI::App& app, int& /*exit_code*/) {
  app.require_subcommand(1);
  auto flags = std::make_shared<BankFlags>();
  CLI::App* list = app.add_subcommand(
      "list", "One line per workload: network, shapes, machine, trials, last change");
  AddFlags(*list, *flags);
  list->final_callback([flags] {
    fmt::print("{}", ListBank(ResolveBank(flags->op_bank_path).path, flags->soc_version));
  });
  CLI::App* show = app.add_subcommand("show", "The newest front and all trials of one workload");
  AddFlags(*show, *flags);
  show->add_option(
      "workload", flags->workload,
      "Key of the workload or its first digits, as `bank list` prints it; default: the newest");
  show->final_callback([flags] {
    fmt::print(
        "{}", ShowBank(ResolveBank(flags->op_bank_path).path, flags->soc_version, flags->workload));
  });
}

}  // namespace halftone
