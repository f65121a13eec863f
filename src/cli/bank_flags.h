// Options of every `halftone bank` subcommand.
#pragma once

#include <string>

#include "src/cli/parser_classes.h"

namespace halftone {

struct BankFlags {
  std::string op_bank_path;
  std::string soc_version = "host";
};

// Adds --op_bank_path and --soc_version.
void AddFlags(CLI::App& app, BankFlags& flags);

// Defines the subcommands merge, verify, prune, export and import. DefineBankCommand() calls it.
void DefineBankUpkeep(CLI::App& app, int& exit_code);

}  // namespace halftone
