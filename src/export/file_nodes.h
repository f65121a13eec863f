// Nodes that the author of a model wrote, with their formats in a plan, for writers of files that
// name operators.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "src/export/exported_file.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

struct PlannedNode {
  std::string name;    // in the file; may be empty
  std::string type;    // of ONNX
  std::string output;  // its first output
  NumericFormat compute;
  std::size_t outputs = 1;
  bool shares_name = false;  // another node of the file has the name: a tool finds only one by it
};

// The network with the names of the file in place of those of the importer. The importer names
// nodes that have no name, and makes equal names different. Graph::removed also gets every node of
// the file, so that NodesOfFile() sees names that several nodes share. Loads `model`, from which
// the network was imported; errors as LoadModel().
Graph WithNamesOfFile(Graph network, const std::filesystem::path& model);

// Nodes in the order of the network, which WithNamesOfFile() made. Leaves out nodes that the
// importer added, folded or removed. `plan` is of `network`.
std::vector<PlannedNode> NodesOfFile(const Graph& network, const PrecisionPlan& plan);

// A file of text for another tool.
struct ExportedText {
  std::string text;
  std::vector<ExportedFile> beside = {};
  std::vector<Loss> losses = {};
  std::vector<std::string> notes = {};  // full sentences on losses that no node has
  std::string flags = {};               // for the command that reads the file: "--fp16"
};

}  // namespace halftone
