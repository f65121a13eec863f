// A runtime behind --measure whose latencies do not depend on the CPU or its load.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/process.h"

namespace halftone::testing {

// Writes a program into `folder` and returns the value of --measure that calls it. A run takes 10
// ns for each byte of the model's file, so that a plan with fewer bits in its weights is faster.
inline std::string PlantedRuntime(const std::filesystem::path& folder) {
  const std::filesystem::path program = folder / "planted_runtime.sh";
  WriteScript(
      program,
      "if [ \"$(head -c 1 \"$HALFTONE_MODEL\" | od -An -tx1)\" != ' 08' ]; then\n"
      "  echo '{\"halftone_measure\":1,\"status\":\"invalid\",\"message\":\"no ONNX model\"}'\n"
      "  exit\n"
      "fi\n"
      "bytes=$(wc -c <\"$HALFTONE_MODEL\")\n"
      "echo '{\"halftone_measure\":1,\"status\":\"ok\",\"latency_ms\":['$bytes'e-5,'$bytes'"
      "e-5],\"runtime\":\"size of the file\",\"device\":\"none\"}'\n");
  return "command:" + program.string();
}

}  // namespace halftone::testing
