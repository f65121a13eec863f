// Graph API of Qualcomm's Cloud AI, as far as its guide specifies it: the precision of each node of
// a model. halftone/qaic_graph.h is the C interface.
#pragma once

#include <string>

namespace halftone {

struct QaicGraphOptions {
  std::string node_precision;  // path of the file of -node-precision-info; empty: none
  // Other options of qaic-compile in one text, quoted as on the command line of a shell.
  std::string words;
};

struct QaicGraphPlan {
  std::string digest;  // of the plan, 32 hexadecimal digits
  std::string table;   // precision and reason of every node
  std::string notes;   // notes and warnings, a line each
};

// Returns the plan that `halftone qaic-compile` makes of the model and the options. `model`: path
// of an .onnx file, or of a folder with model.onnx. Writes no file; runs the network only to
// calibrate a plan in 8 bits. Errors: kUsage for options that qaic-compile refuses, for quotes that
// are not closed, for options that write files, and for -model and -node-precision-info among the
// words; kModel, kUnsupported and kIo for the model.
QaicGraphPlan ResolveQaicGraph(const std::string& model, const QaicGraphOptions& options);

}  // namespace halftone
