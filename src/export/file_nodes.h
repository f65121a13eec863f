// Nodes that the author of a model wrote, with their formats in a plan. Writers of files that name
// operators read these.
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
  std::string name;    // in the file; empty: it has none
  std::string type;    // of ONNX
  std::string output;  // its first
  NumericFormat compute;
  std::size_t outputs = 1;
  bool shares_name = false;  // with another node of the file: a tool finds one of them by it
};

// The network with the names of the file in place of those of the importer, which names nodes that
// have none and makes equal names different. Loads `model`, from which the network was imported;
// errors as LoadModel().
Graph WithNamesOfFile(Graph network, const std::filesystem::path& model);

// Nodes in the order of the network, which WithNamesOfFile() made; without nodes that the importer
// added, folded or removed. `plan` is of `network`.
std::vector<PlannedNode> NodesOfFile(const Graph& network, const PrecisionPlan& plan);

// A file of text for another tool.
struct ExportedText {
  std::string text;
  std::vector<ExportedFile> beside = {};
  std::vector<Loss> losses = {};
  std::vector<std::string> notes = {};  // full sentences on what `losses` does not say by nodes
  std::string flags = {};               // of the command that reads it: "--fp16"
};

}  // namespace halftone
