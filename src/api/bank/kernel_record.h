// Record of the kernels that the measurements of a front used at each node. The text is stored with
// the front; a later version compares it with its own to find nodes whose kernels changed.
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

// Lists the kernels of each node in float32 and in these configurations, with the choices of
// `compile`. Leaves out casts, steps in place, and configurations that do not resolve or compile.
// Each node has one line: its name as JSON, a tab, and its kernels, each as "DTYPE KERNEL", joined
// by ", ". Equal texts mean that no kernel changed.
std::string KernelRecord(const Graph& graph, const TargetSpec& target,
                         std::span<const PrecisionOptions> configurations,
                         const CompileOptions& compile);

// Nodes whose kernels differ between the records, or that only one record has. `of_part`: `after`
// covers only some configurations of `before`, so that kernels and nodes which are missing in
// `after` count as unchanged.
std::set<std::string> ChangedNodes(const std::string& before, const std::string& after,
                                   bool of_part = false);

// Converts a record to a map from node name to kernels, as front.json contains it.
std::map<std::string, std::string> KernelsByNode(const std::string& record);
// Inverse of KernelsByNode().
std::string RecordOfKernels(const std::map<std::string, std::string>& kernels);

// Wraps a KernelRecord() as provenance of a front; empty for an empty record.
Provenance FactsOfKernels(const std::string& kernels);

}  // namespace halftone
