// Changes of a network that leave it a network: what it becomes may still load, and often does.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tests/fuzz/network.h"

namespace halftone::testing {

struct Mutator {
  std::string_view name;
  int weight = 1;                             // how often it is chosen, compared with the others
  bool (*apply)(Network& network, Rng& rng);  // false: there was nothing to change
};

std::span<const Mutator> DataMutators();    // attributes, shapes, types, elements
std::span<const Mutator> WiringMutators();  // nodes, operands, inputs and outputs of the network

// Applies one of all mutators, chosen by `seed`; the same one, in the same way, for the same
// network. Its name; empty when several that were chosen found nothing to change.
std::string_view Mutate(Network& network, std::uint64_t seed);

// Graph inputs and constants: what has elements before the run.
std::vector<ValueId> StoredValues(const Graph& graph);
const Tensor& StoredTensor(const Network& network, ValueId id);
void StoreTensor(Network& network, ValueId id, Tensor tensor);

}  // namespace halftone::testing
