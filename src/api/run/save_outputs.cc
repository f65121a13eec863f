// `halftone run --save`: what the network computes, as files.
#include <fmt/format.h>

#include <cctype>
#include <cstring>

#include "kernels/parallel.h"
#include "src/accuracy/tensor_file.h"
#include "src/api/halftone.h"
#include "src/api/load/traced_samples.h"
#include "src/base/file.h"
#include "src/exec/executable.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

// The samples of an output one behind the other.
Tensor Stacked(const std::vector<Tensor>& samples) {
  const TensorType& one = samples.front().type();
  std::vector<std::int64_t> dims(one.shape.dims().begin(), one.shape.dims().end());
  if (dims.empty()) {
    dims.push_back(1);
  }
  dims[0] *= static_cast<std::int64_t>(samples.size());
  Tensor stacked(one.dtype, Shape(std::move(dims)));
  std::byte* to = stacked.mutable_data();
  for (const Tensor& sample : samples) {
    if (sample.size_bytes() > 0) {
      std::memcpy(to, sample.data(), sample.size_bytes());
      to += sample.size_bytes();
    }
  }
  return stacked;
}

std::string FileName(std::size_t index, std::string_view output) {
  std::string name = fmt::format("{}_", index);
  for (const char c : output) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    name += plain ? c : '_';
  }
  constexpr std::size_t kMostCharacters = 100;  // file systems take 255 bytes
  name.resize(std::min(name.size(), kMostCharacters));
  return name + ".npy";
}

}  // namespace

SavedOutputs SaveOutputs(const Model& model, const TargetSpec& target,
                         const PrecisionOptions& precision, const DatasetOptions& data, int threads,
                         const KernelChoices& choices, const std::filesystem::path& folder,
                         const RunHooks& hooks) {
  const Graph& graph = model.graph;
  const Executable executable = Compile(graph, ResolvePrecision(graph, precision, target),
                                        {.kernels = {}, .choices = choices});
  const Dataset dataset = LoadSamples(model, data);
  Workspace workspace = executable.NewWorkspace();
  const ThreadPool pool(threads);
  SavedOutputs saved{.files = {}, .samples = 0, .planned = dataset.size(), .notes = dataset.notes};
  std::vector<std::vector<Tensor>> results(graph.outputs.size());
  while (saved.samples < saved.planned && !(hooks.stop_requested && hooks.stop_requested())) {
    std::vector<Tensor> outputs =
        RunSteps(dataset.Read(saved.samples), dataset.state, [&](std::span<const Tensor> given) {
          const std::vector<Tensor> inputs = executable.ConvertInputs(given);
          std::vector<Tensor> made = executable.NewOutputs();
          pool.Run([&] { executable.Run(workspace, inputs, made); });
          return made;
        });
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      results[o].push_back(std::move(outputs[o]));
    }
    ++saved.samples;
    if (hooks.on_progress) {
      hooks.on_progress("outputs", saved.samples, saved.planned);
    }
  }
  if (saved.samples == 0) {
    return saved;
  }
  CreateFolder(folder);
  for (std::size_t o = 0; o < results.size(); ++o) {
    saved.files.push_back(FileName(o, graph.value(graph.outputs[o]).name));
    WriteFileAtomically(folder / saved.files.back(), FormatNpy(Stacked(results[o])));
  }
  return saved;
}

}  // namespace halftone
