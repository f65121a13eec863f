// The graph API of Cloud AI, as far as its guide specifies it: the precision of the nodes of a
// model.
#pragma once

#include <string>

#include "src/base/hash.h"

namespace halftone {

struct QaicGraphOptions {
  std::string node_precision;  // path of the file of -node-precision-info; empty: none
  std::string words;           // other options of qaic-compile, as a shell takes them
};

struct QaicGraphPlan {
  Hash128 digest;     // PrecisionPlan::Digest()
  std::string table;  // precision and reason of every node
  std::string notes;  // notes and warnings, a line each
};

// The plan that `halftone qaic-compile` has for the model and the options. Errors as
// RunQaicCompile(); kUsage: words that no shell takes, an option that writes a file, or one that
// the graph API sets itself.
QaicGraphPlan ResolveQaicGraph(const std::string& model, const QaicGraphOptions& options);

}  // namespace halftone
