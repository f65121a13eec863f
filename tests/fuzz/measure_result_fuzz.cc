// Results of measuring commands: the first line names the format, the rest is what the tool says.
#include <algorithm>
#include <cmath>
#include <string>

#include "src/runtimes/command/command_text.h"
#include "src/runtimes/command/result_format.h"
#include "src/runtimes/command/sample_files.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

namespace {

// One output, 1x2 in float32.
Graph Network() {
  Graph network;
  network.outputs.push_back(network.AddValue({.name = "y", .type = {DType::kFloat32, {1, 2}}}));
  return network;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Graph network = Network();
  const std::string_view text = TextOf(data, size);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const std::string_view name = text.substr(0, line);
  const std::string_view rest = text.substr(std::min(line + 1, text.size()));
  ValueOrError([&] { return FillPlaceholders(name, {}, "f"); });
  ValueOrError([&] { return ParseOutputTypes(rest, network, "f"); });
  for (const ResultFormatRow& row : ResultFormats()) {
    if (row.name != name) {
      continue;
    }
    const auto answer = ValueOrError([&] { return row.parse(rest, "= ([0-9.]+)", "f"); });
    if (answer && answer->status == CommandStatus::kOk) {
      Require(!answer->latencies_s.empty(), "an answer without a latency");
      Require(std::ranges::all_of(answer->latencies_s,
                                  [](double s) { return s > 0 && std::isfinite(s); }),
              "a latency that is no positive number");
    }
  }
  return 0;
}
