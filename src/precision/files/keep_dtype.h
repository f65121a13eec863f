// File of --keep_dtype: nodes that keep their original dtype. Grammar and matching rules:
// docs/reference/options.md, "keep_dtype".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// Parses the content of a file. Returns its lines sorted and without duplicates, as
// PrecisionOptions::keep_dtype has them. Error kUsage naming `file_name` and the line: "OpType::"
// is not followed by one IR type.
std::vector<std::string> ParseKeepDtype(std::string_view content, std::string_view file_name);

// The content of a file that begins with the lines `comment`, given without '#'. ParseKeepDtype()
// reads it back to `lines`. Error kUsage: a line that the format cannot express.
std::string FormatKeepDtype(const std::vector<std::string>& lines,
                            const std::vector<std::string>& comment = {});

// The line for the node of this name; empty: the format cannot express the name, because it is not
// SurvivesAsLine() or begins with "OpType::".
std::optional<std::string> KeepLineFor(std::string_view node_name);

struct KeepMatches {
  std::vector<std::string> line_of_node;     // line that keeps each node; empty: none does
  std::vector<std::string> unknown_names;    // names that are not in the graph
  std::vector<std::string> removed_names;    // names in Graph::removed
  std::vector<std::string> unmatched_types;  // whole lines: "OpType::Relu"
};

// Matches lines with nodes. A line matches a node by the name or IR type of any of its origins, or
// by the IR type of the node. If several lines match, line_of_node has one with a name rather than
// one with a type.
KeepMatches MatchKeepLines(const Graph& graph, const std::vector<std::string>& lines);

// Reason, for messages, why a node is in Graph::removed.
inline constexpr std::string_view kWhyRemoved =
    "folded to a constant, does nothing or is in a branch or loop body that does not run";

// Text of error E10042 for the file of `option`: the number of names that are not in the graph, and
// the first ten of them, each with similar names of the graph.
std::string UnknownNames(std::string_view option, const Graph& graph,
                         const std::vector<std::string>& unknown_names);

}  // namespace halftone
