// Runtime behind the contract halftone-measure: imports HALFTONE_MODEL, whose types it obeys, runs
// it on halftone's kernels, and writes outputs and the result.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/exec/executable.h"
#include "src/onnx/reader.h"
#include "src/precision/precision_plan.h"

namespace halftone {
namespace {

using nlohmann::json;

constexpr int kInvalid = 3;

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) {
    throw Error(ErrorKind::kUsage, std::string(name) + " is not set");
  }
  return value;
}

// Each operator in the types of the file.
PrecisionPlan PlanOf(const Graph& network) {
  PrecisionPlan plan = ReferencePlan(network);
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    const auto type_of = [&](ValueId value) { return network.value(value).type.dtype; };
    for (std::size_t k = 0; k < network.nodes[i].inputs.size(); ++k) {
      if (network.nodes[i].inputs[k] != kNoValue) {
        plan.nodes[i].inputs[k] = type_of(network.nodes[i].inputs[k]);
      }
    }
    for (std::size_t k = 0; k < network.nodes[i].outputs.size(); ++k) {
      plan.nodes[i].outputs[k] = type_of(network.nodes[i].outputs[k]);
    }
  }
  return plan;
}

std::vector<Tensor> ReadSample(const std::filesystem::path& folder, const Graph& network) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < network.inputs.size(); ++i) {
    Tensor tensor(network.value(network.inputs[i]).type);
    const std::string bytes = ReadFile(folder / (std::to_string(i) + ".bin"));
    Check(bytes.size() == tensor.size_bytes(), "the size of an input");
    std::copy_n(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size(),
                tensor.mutable_data());
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

void WriteOutputs(const std::filesystem::path& folder, const std::vector<Tensor>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    WriteFileAtomically(
        folder / (std::to_string(i) + ".bin"),
        {reinterpret_cast<const char*>(outputs[i].data()), outputs[i].size_bytes()});
  }
}

double Milliseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

json Measure() {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const Graph network = ReadOnnx(Variable("HALFTONE_MODEL"));
  const Executable executable = Compile(network, PlanOf(network));
  const double compile_s = Milliseconds(Clock::now() - begin) / 1000;
  const std::filesystem::path inputs = Variable("HALFTONE_INPUTS");
  const auto samples = json::parse(ReadFile(inputs / "inputs.json"))["samples"].get<std::size_t>();
  std::vector<Tensor> first;
  for (std::size_t i = 0; i < samples; ++i) {
    std::vector<Tensor> sample = ReadSample(inputs / std::to_string(i), network);
    WriteOutputs(std::filesystem::path(Variable("HALFTONE_OUTPUTS")) / std::to_string(i),
                 executable.Run(sample));
    if (i == 0) {
      first = std::move(sample);
    }
  }
  Workspace workspace = executable.NewWorkspace();
  std::vector<Tensor> outputs = executable.NewOutputs();
  std::vector<double> latencies;
  const int warmup = std::stoi(Variable("HALFTONE_WARMUP"));
  for (int run = -warmup; run < std::stoi(Variable("HALFTONE_RUNS")); ++run) {
    const auto start = Clock::now();
    executable.Run(workspace, first, outputs);
    if (run >= 0) {
      latencies.push_back(Milliseconds(Clock::now() - start));
    }
  }
  return {{"halftone_measure", 1}, {"status", "ok"},         {"latency_ms", latencies},
          {"outputs", "."},        {"compile_s", compile_s}, {"runtime", "halftone's kernels"}};
}

}  // namespace
}  // namespace halftone

int main() {
  try {
    std::puts(halftone::Measure().dump().c_str());
    return 0;
  } catch (const halftone::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.kind() == halftone::ErrorKind::kUnsupported ||
                   error.kind() == halftone::ErrorKind::kModel
               ? halftone::kInvalid
               : 1;
  }
}
