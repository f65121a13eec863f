// Phase 2 of the resolution: the choice of a column in the dtype table that the op library has for
// the node's operator. The tensors of the node narrow the columns one after the other: computed
// inputs first, then constants, then outputs (docs/internals/resolving.md, "Phase 2: column").
#pragma once

#include <string>
#include <vector>

#include "src/precision/resolve/engine_phase.h"

namespace halftone {

// Facts about each value of the graph while its nodes are resolved in order.
struct ResolvedValues {
  std::vector<DType> dtypes;       // original dtype; once its producer is resolved, that dtype
  std::vector<NodeId> producers;   // ProducersOf()
  std::vector<bool> graph_inputs;  // true if the value is an input of the graph
};

// The facts before any node is resolved.
ResolvedValues OriginalValues(const Graph& graph);

// Dtypes of the chosen column.
struct ColumnChoice {
  std::vector<DType> inputs;
  std::vector<DType> outputs;
  std::string reason;
};

// A column of the op library that a node did not get.
struct RefusedColumn {
  std::size_t column = 0;
  std::string dtypes;   // "f16,f16->f32"
  std::string why;      // reason, a clause
  bool tunable = true;  // true: it has a dtype that precision modes change
};

// Chooses the column. It never fails, because the engine phase has accepted the node. The dtype of
// an absent operand repeats that of input 0. `refused`, unless null, receives the other columns.
ColumnChoice ChooseColumn(const NodeToResolve& task, const ResolvedValues& values,
                          std::vector<RefusedColumn>* refused = nullptr);

}  // namespace halftone
