// Options that name a knowledge base.
#pragma once

#include <string>

#include "src/api/halftone.h"
#include "src/cli/parser_classes.h"

namespace halftone {

// Adds --op_bank_path.
void AddBankFlag(CLI::App& app, std::string& op_bank_path);
// Adds --mdl_bank_path.
void AddSubgraphBankFlag(CLI::App& app, std::string& mdl_bank_path);
// Adds --seed_bank.
void AddSeedBankFlag(CLI::App& app, std::string& seed_bank);

// Finds the bank that an option (empty: not given) or the environment names, by FindBank(). Prints
// a warning if TUNE_BANK_PATH overrides --op_bank_path. Error kUsage if both options are given.
BankLocation ResolveBank(const std::string& op_bank_path, const std::string& mdl_bank_path = "");

}  // namespace halftone
