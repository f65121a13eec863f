// Options that name a knowledge base.
#pragma once

#include <string>

#include "src/api/halftone.h"

namespace CLI {
class App;
}  // namespace CLI

namespace halftone {

// --op_bank_path
void AddBankFlag(CLI::App& app, std::string& op_bank_path);
// --mdl_bank_path
void AddSubgraphBankFlag(CLI::App& app, std::string& mdl_bank_path);
// --seed_bank
void AddSeedBankFlag(CLI::App& app, std::string& seed_bank);

// Bank that the options (empty: not given) and the environment name (see FindBank); a warning says
// which wins. Error kUsage if both options are given.
BankLocation ResolveBank(const std::string& op_bank_path, const std::string& mdl_bank_path = "");

}  // namespace halftone
