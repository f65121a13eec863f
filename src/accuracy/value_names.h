// Names of a network's inputs and outputs in options and messages.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// The names of the values in quotes: "'policy', 'value'".
std::string NamesOf(const Graph& graph, const std::vector<ValueId>& ids);

// Index in `ids` of the value with this name; empty: none has it.
std::optional<std::size_t> IndexOf(const Graph& graph, const std::vector<ValueId>& ids,
                                   std::string_view name);

}  // namespace halftone
