// What runtimes and measuring commands say.
#include <algorithm>
#include <cmath>

#include "src/runtimes/command/command_text.h"
#include "src/runtimes/command/result_format.h"
#include "src/runtimes/command/sample_files.h"
#include "src/runtimes/onnxruntime/ort_profile.h"
#include "tests/fuzz/fuzz.h"

namespace halftone::testing {
namespace {

// One output, 1x2 in float32.
Graph NetworkWithOneOutput() {
  Graph network;
  network.outputs.push_back(network.AddValue({.name = "y", .type = {DType::kFloat32, {1, 2}}}));
  return network;
}

// The first line names the format, the rest is what the tool says.
void MeasureResult(std::string_view bytes) {
  static const Graph kNetwork = NetworkWithOneOutput();
  const std::size_t line = std::min(bytes.find('\n'), bytes.size());
  const std::string_view name = bytes.substr(0, line);
  const std::string_view rest = bytes.substr(std::min(line + 1, bytes.size()));
  ValueOrError([&] { return FillPlaceholders(name, {}, "f"); });
  ValueOrError([&] { return ParseOutputTypes(rest, kNetwork, "f"); });
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
}

void OrtProfile(std::string_view bytes) {
  const auto kernels = ValueOrError([&] { return ReadOrtProfile(bytes); });
  Require(!kernels || !kernels->empty(), "a profile without a kernel");
}

const FuzzedParsers kRuntimeParsers = {
    {"measure_result", MeasureResult},
    {"ort_profile", OrtProfile},
};

}  // namespace
}  // namespace halftone::testing
