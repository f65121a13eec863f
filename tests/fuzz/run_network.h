// Promises that every network keeps, whatever it holds: an Error that a user can read, or results
// that depend on nothing but what the network is given.
#pragma once

#include <cstdint>

#include "tests/fuzz/network.h"

namespace halftone::testing {

// Counts of networks by how far they came. Plain numbers, because a child process fills a page of
// them.
struct RunCounts {
  std::int64_t networks = 0;
  std::int64_t loaded = 0;    // by the importer
  std::int64_t large = 0;     // of these: left out, as a run would take long
  std::int64_t plans = 0;     // compiled
  std::int64_t runs = 0;      // of a compiled plan with one set of inputs
  std::int64_t compared = 0;  // results of nodes, with those of the references

  void Add(const RunCounts& other);
};

// Loads the network, compares its nodes with their references (one network in four), optimises it
// with all passes, some or none, compiles it for two plans, and runs each on its sample and on wild
// ones, on one thread and two. `seed` decides what is tried.
// Adds to `counts` as it goes. Ends the program with a sentence at a broken promise (Require()).
void RunNetwork(const Network& network, std::uint64_t seed, RunCounts& counts);

}  // namespace halftone::testing
