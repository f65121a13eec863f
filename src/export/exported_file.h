// Files that exporters make, and the decisions of a plan that the files lose.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/base/byte_sink.h"
#include "src/ir/numeric_format.h"

namespace halftone {

struct ExportedFile {
  std::string name;  // without folders: it lies beside the main file
  std::string bytes;
  // Gives the content in pieces, in place of `bytes`, so that large weights are in memory once.
  // Empty: `bytes` has the content.
  std::function<void(const ByteSink& sink)> write = {};
};

// A decision of the plan that a file holds otherwise, or not at all.
struct Loss {
  std::string node;     // of the model; for the loss of a tensor, the tensor
  std::string asked;    // decision of the plan: "bfloat16"
  std::string written;  // what the file has: "float32"; empty: nothing
  std::string why;      // reason, without the node: equal for all nodes that lost the same
};

Loss LossOf(std::string node, NumericFormat asked, std::string written, std::string why);

// A sentence for each reason, in the order of their first nodes: "operators whose names have a
// comma: 3, the first is 'a,b'".
std::vector<std::string> NotesOf(const std::vector<Loss>& losses);

}  // namespace halftone
