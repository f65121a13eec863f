// Runs a command line of the Cloud AI compiler: what its options mean, computed on this CPU.
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
  std::function<void(std::string_view)> print;  // a line for the screen
  std::function<void(std::string_view)> note;   // sentences for the error stream
  std::function<void(std::string_view)> warn;
  std::size_t columns = kColumnsOfFiles;  // of the screen
  RunHooks run = {};                      // of the run on the samples
};

struct QaicPlan {
  std::string table;  // precision and reason of every node
  Hash128 digest;     // PrecisionPlan::Digest()
};

// Resolves the plan that RunQaicCompile() would run. Runs the network only to profile it for
// quantization without a profile file; writes no file. Errors as RunQaicCompile().
QaicPlan ResolveQaic(const QaicCompileOptions& options, const QaicHooks& hooks);

// Prints the precision of every node and the accuracy against float32 on the samples; with
// -dump-profile writes a profile, with -dump-custom-IO-config-template a template, and ends. Errors
// kUsage, kModel, kUnsupported, kIo: options that do not fit the model, files, samples. Stopped, it
// prints the accuracy on the samples until then, and writes no point.
void RunQaicCompile(const QaicCompileOptions& options, const QaicHooks& hooks);

}  // namespace halftone
