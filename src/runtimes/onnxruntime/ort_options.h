// Options of --measure=ort: the library of ONNX Runtime, execution providers and entries of the
// configuration of sessions.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/runtimes/onnxruntime/ort_provider.h"

namespace halftone {

struct OrtOptions {
  std::filesystem::path library;
  std::vector<OrtProvider> providers;                       // in order of preference; none: the CPU
  std::vector<std::pair<std::string, std::string>> config;  // OrtSessionOptions::config
  int threads = 1;                                          // of the CPU
  std::function<bool()> stop_requested = {};                // true ends the trial of a plan
};

// "LIBRARY[,provider=NAME:KEY=VALUE:...][,config=KEY=VALUE]": what follows "ort:" in --measure.
// An empty LIBRARY is `HALFTONE_ORT`, or libonnxruntime.so.1 where the loader finds it. Error
// kUsage.
OrtOptions ParseOrtOptions(std::string_view text);

}  // namespace halftone
