// The --keep_dtype file: nodes that keep their original dtype. Grammar and matching rules:
// docs/reference/options.md, "keep_dtype".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

// The lines of a file as PrecisionOptions::keep_dtype holds them: sorted, without duplicates.
// Error kUsage naming `file_name` and the line.
std::vector<std::string> ParseKeepDtype(std::string_view content, std::string_view file_name);

// A file that ParseKeepDtype reads back to the same lines, after `comment` (lines without '#').
// Error kUsage for a line that the format cannot express.
std::string FormatKeepDtype(const std::vector<std::string>& lines,
                            const std::vector<std::string>& comment = {});

// The line for the node of this name. Empty: the format has no syntax for the name (it is empty,
// has blanks at the ends or a line break, or begins with '#' or "OpType::").
std::optional<std::string> KeepLineFor(std::string_view node_name);

struct KeepMatches {
  std::vector<std::string> line_of_node;  // parallel to Graph::nodes; empty: none
  std::vector<std::string> unknown_names;
  std::vector<std::string> removed_names;    // of nodes that were folded away or had no effect
  std::vector<std::string> unmatched_types;  // whole lines, "OpType::Relu"
};

// A line matches a node by the name or the IR type of any of its origins, or by its own IR type. A
// node that several lines match reports a name before a type.
KeepMatches MatchKeepLines(const Graph& graph, const std::vector<std::string>& lines);

// Reason in messages for names of Graph::removed.
inline constexpr std::string_view kWhyRemoved =
    "folded to a constant, does nothing or is in a branch or loop body that does not run";

// The text of E10042 for the file of `option`: how many names are not in the graph, the first ten,
// and names that are close.
std::string UnknownNames(std::string_view option, const Graph& graph,
                         const std::vector<std::string>& unknown_names);

}  // namespace halftone
