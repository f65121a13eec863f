#include "labs/onnxruntime/our_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/accuracy/metrics.h"
#include "src/api/options/point.h"
#include "src/api/options/read_precision.h"
#include "src/base/file.h"
#include "src/base/temporary_folder.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

double RelativeError(const Tensor& reference, const Tensor& actual) {
  if (reference.shape() != actual.shape()) {
    return std::numeric_limits<double>::infinity();
  }
  const OutputSums sums = SumsOf(reference, actual);
  if (sums.broken) {
    return std::numeric_limits<double>::infinity();
  }
  const double error = std::sqrt(sums.error_power);
  return sums.reference_power > 0 ? error / std::sqrt(sums.reference_power) : error;
}

}  // namespace

std::string SamplesOf(const fs::path& folder) {
  return fs::is_directory(folder / "test_data_set_0") ? folder.string() : "";
}

ConstantWeights LoadWeights(const fs::path& folder, std::uint64_t seed,
                            const std::map<std::string, std::int64_t>& dimensions) {
  const bool has_samples = !SamplesOf(folder).empty();
  ConstantWeightsOptions options{.random_weights = !has_samples, .seed = seed};
  if (!has_samples) {
    options.dimensions = dimensions;
  }
  return MakeWeightsConstant(ReadFile(folder / "model.onnx"), options);
}

void WriteNetwork(const fs::path& folder, const ConstantWeights& weights) {
  CreateFolder(folder);
  WriteFileAtomically(folder / "model.onnx", weights.model);
}

Model LoadOurs(const ConstantWeights& weights, const fs::path& folder) {
  const std::string samples = SamplesOf(folder);
  if (!weights.is_another_network()) {
    return LoadModel({.path = folder, .inputs = samples});
  }
  const TemporaryFolder written("a network with constant weights");
  WriteNetwork(written.path(), weights);
  return LoadModel({.path = written.path(), .inputs = samples});
}

PrecisionOptions PointPrecision(const Model& model, const fs::path& folder) {
  const Point point = ReadPoint(folder);
  if (!point.arguments.fusion_switch_file.empty()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("expected an option set of precision only, '{}' names the fusion "
                            "switches '{}'",
                            point.folder.string(), point.arguments.fusion_switch_file));
  }
  const TargetSpec target = LoadTarget(point.arguments.target);
  if (!target.is_host()) {
    throw Error(ErrorKind::kUnsupported, fmt::format("expected a point of host, '{}' is of {}",
                                                     point.folder.string(), target.name));
  }
  PrecisionOptions precision = ReadPrecision(point.arguments.precision, target).options;
  CheckPoint(point, model, target, precision);
  return precision;
}

Ours::Ours(const Model& model, const std::string& samples, const PrecisionOptions& precision,
           const KernelChoices& choices, std::uint64_t seed)
    : executable(Compile(model.graph, ResolvePrecision(model.graph, precision, LoadTarget("host")),
                         {.kernels = {}, .choices = choices})),
      workspace(executable.NewWorkspace()),
      outputs(executable.NewOutputs()) {
  const Dataset dataset = LoadDataset(
      model.graph, {.inputs = samples, .max_samples = 1, .generated_samples = 1, .seed = seed});
  inputs = executable.ConvertInputs(dataset.Read(0).inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs_by_name.emplace(model.graph.value(model.graph.inputs[i]).name, inputs[i]);
  }
}

void Ours::Run() {
  executable.Run(workspace, inputs, outputs);
}

double WorstRelativeError(const std::vector<Tensor>& references,
                          const std::vector<Tensor>& actuals) {
  if (references.size() != actuals.size()) {
    return std::numeric_limits<double>::infinity();
  }
  double worst = 0;
  for (std::size_t i = 0; i < references.size(); ++i) {
    worst = std::max(worst, RelativeError(references[i], actuals[i]));
  }
  return worst;
}

}  // namespace halftone
