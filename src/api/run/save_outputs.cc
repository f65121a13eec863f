// `halftone run --save`: what the network computes, as files.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <optional>

#include "kernels/parallel.h"
#include "src/accuracy/tensor_file.h"
#include "src/api/halftone.h"
#include "src/api/load/traced_samples.h"
#include "src/api/shape_profiles.h"
#include "src/base/file.h"
#include "src/base/printable.h"
#include "src/base/text.h"
#include "src/exec/executable.h"

namespace halftone {
namespace {

constexpr std::string_view kSampleNames = "samples.txt";  // beside the outputs of one shape

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

// Outputs of one input shape.
class OutputsOfShape {
 public:
  OutputsOfShape(const Graph& graph, const PrecisionPlan& plan, const KernelChoices& choices,
                 const Dataset& dataset)
      : graph_(graph),
        dataset_(dataset),
        executable_(Compile(graph, plan, {.kernels = {}, .choices = choices})),
        results_(graph.outputs.size()) {}

  [[nodiscard]] bool is_done() const { return done_ == dataset_.size(); }

  // Runs the next sample, on a thread of `pool`.
  void RunNext(const ThreadPool& pool) {
    if (!workspace_) {
      workspace_.emplace(executable_.NewWorkspace());
    }
    std::vector<Tensor> outputs =
        RunSteps(dataset_.Read(done_), dataset_.state, [&](std::span<const Tensor> given) {
          const std::vector<Tensor> inputs = executable_.ConvertInputs(given);
          std::vector<Tensor> made = executable_.NewOutputs();
          pool.Run([&] { executable_.Run(*workspace_, inputs, made); });
          return made;
        });
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      results_[o].push_back(std::move(outputs[o]));
    }
    ++done_;
  }

  // Writes them to `folder`/`below`. Returns the files, relative to `folder`.
  [[nodiscard]] std::vector<std::string> Write(const std::filesystem::path& folder,
                                               const std::filesystem::path& below) const {
    CreateFolder(below.empty() ? folder : folder / below);
    std::vector<std::string> files;
    for (std::size_t o = 0; o < results_.size(); ++o) {
      const std::filesystem::path file = below / FileName(o, graph_.value(graph_.outputs[o]).name);
      WriteFileAtomically(folder / file, FormatNpy(Stacked(results_[o])));
      files.push_back(file.string());
    }
    return files;
  }

  // A line for each sample that was run.
  [[nodiscard]] std::string SampleNames() const {
    std::string names;
    for (std::size_t s = 0; s < done_; ++s) {
      names += Shown(dataset_.NameOf(s)) + "\n";
    }
    return names;
  }

  [[nodiscard]] std::size_t done() const { return done_; }

 private:
  const Graph& graph_;
  const Dataset& dataset_;
  Executable executable_;
  std::optional<Workspace> workspace_;
  std::vector<std::vector<Tensor>> results_;  // by output and sample
  std::size_t done_ = 0;
};

}  // namespace

SavedOutputs SaveOutputs(const Model& model, const RunSetup& setup, int threads,
                         const std::filesystem::path& folder, const RunHooks& hooks) {
  return SaveOutputs({&model, 1}, setup, threads, folder, hooks);
}

SavedOutputs SaveOutputs(std::span<const Model> profiles, const RunSetup& setup, int threads,
                         const std::filesystem::path& folder, const RunHooks& hooks) {
  const std::vector<PrecisionPlan> plans = PlansOfProfiles(profiles, setup.target, setup.precision);
  const std::vector<Dataset> datasets = LoadSamples(profiles, setup.data);
  const ThreadPool pool(threads);
  SavedOutputs saved;
  for (const Dataset& dataset : datasets) {
    saved.planned += dataset.size();
    saved.notes.insert(saved.notes.end(), dataset.notes.begin(), dataset.notes.end());
  }
  const auto stopped = [&] { return hooks.stop_requested && hooks.stop_requested(); };
  for (std::size_t i = 0; i < profiles.size() && !stopped(); ++i) {
    OutputsOfShape outputs(profiles[i].graph, plans[i],
                           i < setup.choices.size() ? setup.choices[i] : KernelChoices(),
                           datasets[i]);
    while (!outputs.is_done() && !stopped()) {
      outputs.RunNext(pool);
      ++saved.samples;
      if (hooks.on_progress) {
        hooks.on_progress("outputs", saved.samples, saved.planned);
      }
    }
    if (outputs.done() == 0) {
      break;
    }
    const std::filesystem::path below = profiles.size() == 1 ? "" : fmt::format("shape_{}", i + 1);
    std::ranges::move(outputs.Write(folder, below), std::back_inserter(saved.files));
    if (!below.empty()) {
      WriteFileAtomically(folder / below / kSampleNames, outputs.SampleNames());
      saved.notes.push_back(
          fmt::format("{} holds the outputs of {} of input shape {}", below.string(),
                      Counted(static_cast<std::int64_t>(outputs.done()), "sample"),
                      NameOfProfile(profiles, i)));
    }
  }
  return saved;
}

}  // namespace halftone
