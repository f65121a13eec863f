// Network of a comparison, as both programs load it and as halftone runs it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "labs/onnxruntime/constant_weights.h"
#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/exec/executable.h"

namespace halftone {

// Runs `body`. The message of an Error begins with `who`.
template <typename Body>
decltype(auto) By(std::string_view who, const Body& body) {
  return WithContext([&] { return std::string(who); }, body);
}

// Argument of LoadDataset() for the network in `folder`; empty without test_data_set_0, which means
// random inputs.
std::string SamplesOf(const std::filesystem::path& folder);

// Loads model.onnx from `folder`. Without samples, the weights that it generates become random, and
// free dimensions take their sizes from `dimensions`, by name.
ConstantWeights LoadWeights(const std::filesystem::path& folder, std::uint64_t seed,
                            const std::map<std::string, std::int64_t>& dimensions);

// Creates `folder` and writes model.onnx to it.
void WriteNetwork(const std::filesystem::path& folder, const ConstantWeights& weights);

// The network in `folder`, with `weights`, as halftone loads it.
Model LoadOurs(const ConstantWeights& weights, const std::filesystem::path& folder);

// Precision options of the point in `folder`, checked against `model`. Errors: those of
// CheckPoint(); kUnsupported for a point with fusion switches or of a target other than host.
PrecisionOptions PointPrecision(const Model& model, const std::filesystem::path& folder);

// The network as halftone runs it, with a sample.
struct Ours {
  // `samples`: result of SamplesOf().
  Ours(const Model& model, const std::string& samples, const PrecisionOptions& precision,
       const KernelChoices& choices, std::uint64_t seed);

  // Runs the network in the calling thread's pool and writes `outputs`.
  void Run();

  Executable executable;
  Workspace workspace;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::map<std::string, Tensor> inputs_by_name;
};

// Relative L2 error of the worst output. Infinite if the number or the shapes of outputs differ, or
// if a value is infinite or NaN where the reference is finite.
double WorstRelativeError(const std::vector<Tensor>& references,
                          const std::vector<Tensor>& actuals);

}  // namespace halftone
