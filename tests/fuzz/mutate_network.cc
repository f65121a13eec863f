#include "tests/fuzz/mutate_network.h"

namespace halftone::testing {

std::vector<ValueId> StoredValues(const Graph& graph) {
  std::vector<ValueId> ids = graph.inputs;
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    if (graph.values[i].constant) {
      ids.push_back(static_cast<ValueId>(i));
    }
  }
  return ids;
}

const Tensor& StoredTensor(const Network& network, ValueId id) {
  const Value& value = network.graph.value(id);
  return value.constant ? *value.constant : network.samples.at(id);
}

void StoreTensor(Network& network, ValueId id, Tensor tensor) {
  Value& value = network.graph.value(id);
  value.type = tensor.type();
  (value.constant ? *value.constant : network.samples.at(id)) = std::move(tensor);
}

std::string_view Mutate(Network& network, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<const Mutator*> tickets;
  for (const auto& table : {DataMutators(), WiringMutators()}) {
    for (const Mutator& mutator : table) {
      tickets.insert(tickets.end(), static_cast<std::size_t>(mutator.weight), &mutator);
    }
  }
  constexpr int kTries = 8;
  for (int i = 0; i < kTries; ++i) {
    const Mutator& mutator = *tickets[rng.Below(tickets.size())];
    if (mutator.apply(network, rng)) {
      return mutator.name;
    }
  }
  return {};
}

}  // namespace halftone::testing
