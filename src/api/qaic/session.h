// Runs a command line of the Cloud AI compiler: computes on this CPU what its options mean.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "src/api/halftone.h"
#include "src/base/text_table.h"
#include "src/qaic/compile_options.h"

namespace halftone {

struct QaicHooks {
  std::function<void(std::string_view)> print;  // takes a line for the screen
  std::function<void(std::string_view)> note;   // takes a sentence for the error stream
  std::function<void(std::string_view)> warn;   // takes a warning for the error stream
  std::size_t columns = kColumnsOfFiles;        // width of the screen
  RunHooks run = {};                            // for the run on the samples
};

struct QaicPlan {
  std::string table;  // precision of every node, with its reason
  Hash128 digest;     // PrecisionPlan::Digest()
};

// Resolves the plan that RunQaicCompile() would run, and writes no file. If the options quantize
// without a file of ranges, the network runs on samples to find them. Errors as RunQaicCompile().
QaicPlan ResolveQaic(const QaicCompileOptions& options, const QaicHooks& hooks);

// Prints the precision of every node and the accuracy relative to float32 on the samples, and
// writes the point that the options ask for. With -dump-profile or -dump-custom-IO-config-template,
// only writes that file. After a stop, prints the accuracy on the samples so far and writes no
// point. Errors kUsage, kModel, kUnsupported and kIo for options that do not fit the network, for
// files and for samples.
void RunQaicCompile(const QaicCompileOptions& options, const QaicHooks& hooks);

}  // namespace halftone
