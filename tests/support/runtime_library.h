// The library of ONNX Runtime that tests load.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

namespace halftone::testing {

// $ORT_LIBRARY, or the newest that labs/onnxruntime/bench_vs_onnxruntime.sh keeps; empty: there is
// none on this machine.
inline std::optional<std::filesystem::path> RuntimeLibrary() {
  namespace fs = std::filesystem;
  if (const char* named = std::getenv("ORT_LIBRARY")) {
    return named;
  }
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const fs::path folder = (cache != nullptr  ? fs::path(cache)
                           : home != nullptr ? fs::path(home) / ".cache"
                                             : fs::path()) /
                          "halftone/onnxruntime";
  std::optional<fs::path> newest;
  std::error_code none;
  for (const auto& version : fs::directory_iterator(folder, none)) {
    const fs::path library = version.path() / "libonnxruntime.so.1";
    if (fs::exists(library) && (!newest || library > *newest)) {
      newest = library;
    }
  }
  return newest;
}

}  // namespace halftone::testing
