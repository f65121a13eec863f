// Kernels that the measurements of a front used, node by node, as text that is stored with the
// front: a later halftone compares it to find the changed nodes.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "knowledge_base/store.h"
#include "src/api/halftone.h"
#include "src/exec/executable.h"

namespace halftone {

// The kernels of every computing step, over float32 and these configurations, without those that do
// not resolve or compile. A line for each node: its name as JSON, then its kernels, each with its
// dtype. Equal texts: nothing changed. `compile.choices` apply; kernels of operator tuning are told
// by their names.
std::string KernelRecord(const Graph& graph, const TargetSpec& target,
                         std::span<const PrecisionOptions> configurations,
                         const CompileOptions& compile);

// The nodes whose kernels differ between the records, or which only one of them has. `of_part`:
// `after` is of some of the configurations of `before`, so that it may have fewer kernels of a
// node.
std::set<std::string> ChangedNodes(const std::string& before, const std::string& after,
                                   bool of_part = false);

// The kernels in a record by name of the node, and the record of such a map: as front.json has
// them.
std::map<std::string, std::string> KernelsByNode(const std::string& record);
std::string RecordOfKernels(const std::map<std::string, std::string>& kernels);

// Provenance of a front with its KernelRecord(); empty for an empty record.
Provenance FactsOfKernels(const std::string& kernels);

}  // namespace halftone
