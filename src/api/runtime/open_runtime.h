// Runtime of --measure, which builds, times and runs plans in place of halftone's kernels
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

// Error kUsage if `arguments` name an unknown kind of runtime, or its options are malformed.
void CheckRuntimeArguments(const RuntimeArguments& arguments);

struct OpenedRuntime {
  std::shared_ptr<Runtime> runtime;  // null: halftone's kernels
  std::vector<std::string> notes;    // full sentences
};

// Network whose plans a runtime runs. `target` is LoadTarget(target_options).
struct RuntimeNetwork {
  const Model& model;
  const TargetOptions& target_options;
  const TargetSpec& target;
  const Dataset& data;
};

// Opens the runtime of settings.on for plans of the network, whose model must outlive the runtime.
// `bank`: folder of the knowledge base, where plans that the runtime built are cached; empty: they
// are deleted with the runtime. Errors: as CheckRuntimeArguments(); kIo; kUnsupported.
OpenedRuntime OpenRuntime(const RuntimeNetwork& network, const MeasureSettings& settings,
                          const std::filesystem::path& bank = {},
                          const std::function<bool()>& stop_requested = {});

}  // namespace halftone
