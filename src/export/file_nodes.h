// The nodes that the author of a model wrote, with the formats that a plan has for them: what files
// that name operators are written from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

struct FileNode {
  std::string name;    // empty: it has none
  std::string type;    // of ONNX
  std::string output;  // its first
  NumericFormat compute;
  std::size_t outputs = 1;
};

// In the order of the network; without nodes that the importer added, folded or removed. `plan` is
// of `network`.
std::vector<FileNode> NodesOfFile(const Graph& network, const PrecisionPlan& plan);

// A file of text for another tool.
struct ExportedText {
  std::string text;
  std::vector<std::string> notes;  // full sentences: what the text does not say as the plan has it
};

// Counts names that a file cannot say, for notes.
class LeftOut {
 public:
  void Add(const std::string& name);

  // Adds "what: 3, the first is 'conv1'" to `notes` where there is one.
  void AddNote(std::string_view what, std::vector<std::string>& notes) const;

 private:
  std::int64_t count_ = 0;
  std::string first_;
};

}  // namespace halftone
