// Files of --config.
#include <CLI/CLI.hpp>

#include "src/cli/config_words.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(TextOf(data, size));
  CLI::App program("", "halftone");
  CLI::App& command = *program.add_subcommand("tune");
  std::string model;
  std::vector<double> weights;
  bool verify = false;
  command.add_option("--model", model);
  command.add_option("--shape_weights", weights);
  command.add_flag("--verify", verify);
  const auto words = ValueOrError([&] {
    return ExpandConfig(command, {"tune", "--config=" + file.path().string(), "--model=m.onnx"});
  });
  if (words) {
    Require(words->front() == "tune" && words->back() == "--model=m.onnx", "typed words moved");
  }
  return 0;
}
