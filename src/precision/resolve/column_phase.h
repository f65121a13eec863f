// Phase 2 of the resolution: the column of a node in the op library's dtype table. Inputs narrow
// the columns one after the other, computed ones before constants, outputs last
// (docs/internals/resolving.md, "Phase 2: column").
#pragma once

#include <string>
#include <vector>

#include "src/precision/resolve/engine_phase.h"

namespace halftone {

// Resolved dtypes of the nodes before this one, and the producers of values.
struct ResolvedValues {
  std::vector<DType> dtypes;       // by value: original, then as its producer resolved
  std::vector<NodeId> producers;   // as ProducersOf()
  std::vector<bool> graph_inputs;  // by value
};

ResolvedValues OriginalValues(const Graph& graph);

struct ColumnChoice {
  std::vector<DType> inputs;
  std::vector<DType> outputs;
  std::string reason;
};

// A column of the op library that a node did not get.
struct RefusedColumn {
  std::size_t column = 0;
  std::string dtypes;  // "f16,f16->f32"
  std::string why;
  bool tunable = true;  // it has a dtype that precision modes change
};

// Chooses the column. Never fails: the engine phase has accepted the node. An absent operand
// repeats input 0. `refused`, if given, receives the other columns.
ColumnChoice ChooseColumn(const NodeToResolve& task, const ResolvedValues& values,
                          std::vector<RefusedColumn>* refused = nullptr);

}  // namespace halftone
