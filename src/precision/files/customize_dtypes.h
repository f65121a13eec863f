// The --customize_dtypes file: dtypes of the tensors of single operators, the strongest control
// there is. Grammar and matching rules: docs/reference/options.md, "customize_dtypes".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_options.h"

namespace halftone {

struct CustomDTypesFile {
  std::vector<CustomDTypes> entries;  // in the order of the file, each target once
  std::vector<std::string> warnings;  // full sentences, "customize.cfg:3: ..."
};

// Parses a file. Trailing items that leave their tensor free are dropped. Error kUsage naming
// `file_name` and the line: no target, neither inputs nor outputs, these in the wrong order, an
// unknown dtype, more than 1024 bytes.
CustomDTypesFile ParseCustomDTypes(std::string_view content, std::string_view file_name);

// A file that ParseCustomDTypes() reads back equal. It has no comments: the reference reader
// refuses them. Error kUsage for an entry that the format cannot express.
std::string FormatCustomDTypes(const std::vector<CustomDTypes>& entries);

// True if a line can begin with this name: not empty, no ':', no line break, no blanks at the ends,
// not read as a comment.
bool CanBeCustomTarget(std::string_view name);

struct CustomMatches {
  // Parallel to Graph::nodes; null: free. Points into the entries that were matched.
  std::vector<const CustomDTypes*> of_node;
  std::vector<std::string> unknown_names;    // not in the graph
  std::vector<std::string> absorbed_names;   // fused into another node, folded or without effect
  std::vector<std::string> unmatched_types;  // IR types that no node has
};

// Matches entries with nodes. A name line beats a type line. A fused node has only the names of its
// main operator: that of the graph and that of the file (src/ir/other_names.h).
CustomMatches MatchCustomDTypes(const Graph& graph, const std::vector<CustomDTypes>& entries);

}  // namespace halftone
