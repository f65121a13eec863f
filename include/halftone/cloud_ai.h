// The graph API of Cloud AI, as far as its guide specifies it: the precision of the nodes of a
// model. halftone/qaic_graph.h is its C interface.
#pragma once

#include <string>

namespace halftone {

struct QaicGraphOptions {
  std::string node_precision;  // path of the file of -node-precision-info; empty: none
  std::string words;           // other options of qaic-compile, as a shell takes them
};

struct QaicGraphPlan {
  std::string digest;  // of the plan, 32 hexadecimal digits
  std::string table;   // precision and reason of every node
  std::string notes;   // notes and warnings, a line each
};

// The plan that `halftone qaic-compile` has for the model and the options. Errors: kUsage for
// options that it refuses, for words that no shell takes, for an option that writes a file, and for
// one that the graph API sets itself; kModel, kUnsupported and kIo for the model.
QaicGraphPlan ResolveQaicGraph(const std::string& model, const QaicGraphOptions& options);

}  // namespace halftone
