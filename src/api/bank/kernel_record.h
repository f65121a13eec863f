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

// The kernels of every computing step, over float32 and these configurations; configurations that
// do not resolve or compile are left out. A line for each node: its name as JSON, then its kernels,
// each with its dtype. Equal texts mean that nothing changed. `compile.choices` apply; kernels of
// operator tuning are distinguished by their names.
std::string KernelRecord(const Graph& graph, const TargetSpec& target,
                         std::span<const PrecisionOptions> configurations,
                         const CompileOptions& compile);

// Nodes whose kernels differ between the records, or which only one record has. `of_part`: `after`
// covers only some configurations of `before`, so that a node may have fewer kernels there.
std::set<std::string> ChangedNodes(const std::string& before, const std::string& after,
                                   bool of_part = false);

// The kernels in a record by node name, as front.json has them, and the record of such a map.
std::map<std::string, std::string> KernelsByNode(const std::string& record);
std::string RecordOfKernels(const std::map<std::string, std::string>& kernels);

// Provenance of a front with its KernelRecord(); empty for an empty record.
Provenance FactsOfKernels(const std::string& kernels);

}  // namespace halftone
