// File of --customize_dtypes: dtypes of the inputs and outputs of single operators. It overrides
// all other options on dtypes. Grammar and matching rules: docs/reference/options.md,
// "customize_dtypes".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_options.h"

namespace halftone {

struct CustomDTypesFile {
  std::vector<CustomDTypes> entries;  // in the order of the file, one for each target
  std::vector<std::string> warnings;  // full sentences: "customize.cfg:3: ..."
};

// Parses the content of a file. Empty items at the end of a list are dropped. A second line for a
// target is a warning and is skipped. Error kUsage naming `file_name` and the line: no target,
// neither inputs nor outputs, outputs before inputs, an unknown dtype, a line of more than 1024
// bytes.
CustomDTypesFile ParseCustomDTypes(std::string_view content, std::string_view file_name);

// The content of a file. ParseCustomDTypes() reads it back to equal entries. It has no comments,
// because Ascend's reader refuses them. Error kUsage: the format cannot express an entry.
std::string FormatCustomDTypes(const std::vector<CustomDTypes>& entries);

// True if a line can begin with this name: SurvivesAsLine(), and no ':' in it.
bool CanBeCustomTarget(std::string_view name);

struct CustomMatches {
  // Entry for each node; null: no entry matches it. Points into the entries that were matched.
  std::vector<const CustomDTypes*> of_node;
  std::vector<std::string> unknown_names;    // names that are not in the graph
  std::vector<std::string> absorbed_names;   // names of nodes that were fused or removed
  std::vector<std::string> unmatched_types;  // IR types that no node has
};

// Matches entries with nodes. An entry with a name overrides one with a type. The name may be that
// of the main operator in the graph or in the model file (src/ir/other_names.h); names of nodes
// that were fused into it do not match.
CustomMatches MatchCustomDTypes(const Graph& graph, const std::vector<CustomDTypes>& entries);

}  // namespace halftone
