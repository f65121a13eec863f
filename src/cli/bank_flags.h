// Options of every `halftone bank` subcommand.
#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace halftone {

struct BankFlags {
  std::string op_bank_path;
  std::string soc_version = "host";
};

// --op_bank_path, --soc_version
void AddFlags(CLI::App& app, BankFlags& flags);

// merge, verify, prune, export and import; part of DefineBankCommand().
void DefineBankUpkeep(CLI::App& app, int& exit_code);

}  // namespace halftone
