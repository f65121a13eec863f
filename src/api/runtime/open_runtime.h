// Runtime of --measure: where plans are built, timed and run in place of halftone's kernels
// (docs/guide/measuring_elsewhere.md).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "search/measure/runtime.h"
#include "src/api/halftone.h"

namespace halftone {

// Error kUsage: `arguments` name no kind of runtime, or its options are malformed.
void CheckRuntimeArguments(const RuntimeArguments& arguments);

struct OpenedRuntime {
  std::shared_ptr<Runtime> runtime;  // null: halftone's kernels
  std::vector<std::string> notes;    // full sentences
};

// The runtime of `settings`, for plans of `model`, which must outlive it, on `target`, with the
// samples of `data`. `bank`: the knowledge base beside which built plans are kept; empty: they
// go with the runtime. Errors as CheckRuntimeArguments(), kIo, kUnsupported.
OpenedRuntime OpenRuntime(const Model& model, const TargetOptions& target_options,
                          const TargetSpec& target, const Dataset& data,
                          const MeasureSettings& settings, const std::filesystem::path& bank = {},
                          const std::function<bool()>& stop_requested = {});

}  // namespace halftone
