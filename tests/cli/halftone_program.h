// Runs the program as a user does whose environment names no knowledge base.
#pragma once

#include <string>
#include <vector>

#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace halftone::testing {

inline ProcessResult Halftone(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HALFTONE_BINARY);
  return RunProcess(arguments, {{"TUNE_BANK_PATH", ""}, {"HOME", "/dev/null/home"}});
}

// A file of the example network, "model.onnx".
inline std::string Digits(const std::string& file) {
  return (SourceDir() / "examples/digits" / file).string();
}

}  // namespace halftone::testing
