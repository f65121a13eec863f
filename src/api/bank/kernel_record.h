// Which kernels the measurements of a front were made with, node by node, as text that is stored
// with the front: so that a later halftone can tell where something changed.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "knowledge_base/store.h"
#include "src/api/halftone.h"
#include "src/exec/executable.h"

namespace halftone {

// The kernels of every step that computes, over float32 and these configurations; what does not
// resolve or compile is left out. A line for each node: its name as JSON, then its kernels, each
// with its dtype. Equal texts: nothing changed. `compile.choices` count, kernels of operator tuning
// are told by their names.
std::string KernelRecord(const Graph& graph, const TargetSpec& target,
                         std::span<const PrecisionOptions> configurations,
                         const CompileOptions& compile);

// The nodes with other kernels in one of the records, or which only one of them has.
std::set<std::string> ChangedNodes(const std::string& before, const std::string& after);

// Of KernelRecord(), for the provenance of a front; empty for an empty record.
Provenance FactsOfKernels(const std::string& kernels);

}  // namespace halftone
