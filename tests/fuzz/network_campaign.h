// Many networks, one after the other, in child processes: a crash is a finding with the network
// that was tried, and the campaign goes on behind it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "src/ir/op_kind.h"
#include "tests/fuzz/run_network.h"

namespace halftone::testing {

// One network and how it is run, as numbers: small enough to be made smaller one by one.
struct NetworkCase {
  std::filesystem::path model;  // empty: made of calls of `ops`
  std::vector<OpKind> ops;
  std::uint64_t network_seed = 0;
  std::vector<std::uint64_t> mutations;
  std::uint64_t run_seed = 0;
};

struct CampaignOptions {
  std::uint64_t seed = 1;
  std::uint64_t first = 0;    // index of the first case
  std::int64_t networks = 0;  // at most so many; 0: no limit
  std::int64_t runs = 0;      // ends behind the batch in which there are so many; 0: no limit
  std::vector<std::string> without;  // operators that no network is made from: an open finding, say
  std::vector<std::filesystem::path> models;  // half of the networks are made from these
  std::filesystem::path save;                 // folder for findings; empty: they are not saved
};

// Number `index` of the campaign: the same on every machine.
NetworkCase CaseOf(const CampaignOptions& options, std::uint64_t index);

// Builds the network of a case. `applied` receives the names of the mutations; null: nobody asks.
// Error as NetworkFrom().
Network BuildNetwork(const NetworkCase& one, std::vector<std::string>* applied = nullptr);

struct CampaignResult {
  RunCounts counts;
  std::int64_t findings = 0;
};

// Prints each finding, made as small as a few dozen tries make it, and progress, on stdout. What a
// child process had to say (a sanitizer's report) stands before it on stderr.
CampaignResult RunCampaign(const CampaignOptions& options);

}  // namespace halftone::testing
