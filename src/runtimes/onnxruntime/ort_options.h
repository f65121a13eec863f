// Options of --measure=ort: the library of ONNX Runtime, its execution providers, and entries of
// its session configuration.
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
  std::vector<OrtProvider> providers;  // in order of preference; empty: the CPU alone
  std::vector<std::pair<std::string, std::string>> config;  // OrtSessionOptions::config
  int threads = 1;                                          // of the CPU
  std::function<bool()> stop_requested = {};                // true ends the trial of a plan
};

// Parses "LIBRARY[,provider=NAME:KEY=VALUE:...][,config=KEY=VALUE]", which follows "ort:" in
// --measure. If LIBRARY is empty, it is the value of HALFTONE_ORT, or else libonnxruntime.so.1,
// which the loader looks for. Error kUsage.
OrtOptions ParseOrtOptions(std::string_view text);

}  // namespace halftone
