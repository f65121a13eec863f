// A network as both programs of a comparison load it, and as halftone runs it.
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

// Errors of the body say whose they are.
template <typename Body>
decltype(auto) By(std::string_view who, const Body& body) {
  return WithContext([&] { return std::string(who); }, body);
}

// The argument of LoadDataset() for the network in `folder`; empty without test_data_set_0: its
// inputs are random.
std::string SamplesOf(const std::filesystem::path& folder);

// The model.onnx in `folder`. Without samples its made weights are random and free dimensions have
// the sizes of `dimensions`, by name.
ConstantWeights LoadWeights(const std::filesystem::path& folder, std::uint64_t seed,
                            const std::map<std::string, std::int64_t>& dimensions);

// Writes model.onnx to `folder`, which is created.
void WriteNetwork(const std::filesystem::path& folder, const ConstantWeights& weights);

// `weights` of the network in `folder`, as halftone loads them.
Model LoadOurs(const ConstantWeights& weights, const std::filesystem::path& folder);

// Precision options of the point in `folder`, checked against `model`. Error kUsage as
// CheckPoint(), kUnsupported for a point with fusion switches or of another target than host.
PrecisionOptions PointPrecision(const Model& model, const std::filesystem::path& folder);

// The network as halftone runs it, with a sample.
struct Ours {
  // `samples` is that of SamplesOf().
  Ours(const Model& model, const std::string& samples, const PrecisionOptions& precision,
       const KernelChoices& choices, std::uint64_t seed);

  // In the calling thread's pool; the results are in `outputs`.
  void Run();

  Executable executable;
  Workspace workspace;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::map<std::string, Tensor> inputs_by_name;
};

// Relative L2 error of the worst output; infinity where numbers or shapes of outputs differ.
double WorstRelativeError(const std::vector<Tensor>& references,
                          const std::vector<Tensor>& actuals);

}  // namespace halftone
