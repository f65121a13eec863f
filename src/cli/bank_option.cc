#include "src/cli/bank_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "src/base/error.h"
#include "src/cli/terminal.h"

namespace halftone {

void AddBankFlag(CLI::App& app, std::string& op_bank_path) {
  app.add_option("--op_bank_path", op_bank_path,
                 "Knowledge base: the folder above <soc_version>/halftone.db; TUNE_BANK_PATH wins "
                 "over it; default: $HOME/Ascend/latest/data/aoe/custom/op if it exists, else "
                 "$HOME/.local/share/halftone/op_bank");
}

void AddSubgraphBankFlag(CLI::App& app, std::string& mdl_bank_path) {
  app.add_option("--mdl_bank_path", mdl_bank_path,
                 "Knowledge base whose stored configuration of this network is taken, as "
                 "--op_bank_path names it; it wins over TUNE_BANK_PATH");
}

void AddSeedBankFlag(CLI::App& app, std::string& seed_bank) {
  app.add_option(
      "--seed_bank", seed_bank,
      "Knowledge base that is only read, the folder above <soc_version>: what it holds of "
      "this network and of this machine's kernels is added to that of --op_bank_path "
      "first. It may lie where nothing can be written; nobody may write to it meanwhile");
}

BankLocation ResolveBank(const std::string& op_bank_path, const std::string& mdl_bank_path) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  if (!mdl_bank_path.empty()) {
    if (!op_bank_path.empty()) {
      throw Error(ErrorKind::kUsage,
                  "--op_bank_path and --mdl_bank_path exclude each other, as one knowledge base "
                  "holds what both jobs found; leave one of them out");
    }
    return FindBank(BankUse::kReadSubgraphs, {.option = mdl_bank_path,
                                              .tune_bank_path = variable("TUNE_BANK_PATH"),
                                              .home = variable("HOME")});
  }
  BankLocation location =
      FindBank(BankUse::kReadOperators, {.option = op_bank_path,
                                         .tune_bank_path = variable("TUNE_BANK_PATH"),
                                         .home = variable("HOME")});
  if (location.source == "TUNE_BANK_PATH" && !op_bank_path.empty() &&
      location.path != op_bank_path) {
    PrintWarning(fmt::format("TUNE_BANK_PATH={} wins over --op_bank_path={}",
                             location.path.string(), op_bank_path));
  }
  if (location.source == "default" && variable("HOME").empty()) {
    PrintWarning(
        fmt::format("HOME is not set, so the knowledge base is {}; --op_bank_path sets another",
                    location.path.string()));
  }
  return location;
}

}  // namespace halftone
