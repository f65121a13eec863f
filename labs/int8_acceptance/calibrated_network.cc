#include "labs/int8_acceptance/calibrated_network.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "search/calibrate/calibrate.h"
#include "src/base/error.h"
#include "src/ir/formats/qint8.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCalibrated = kMostCalibrationSamples;  // as halftone tune

// With fewer samples than this, all serve for both calibration and measurement.
constexpr std::size_t kFewestToSetAside = 32;

NumericFormat Qint8() {
  return *NumericFormat::Named(kQInt8.name);
}

// The samples that a network has, and where from.
struct Found {
  std::string inputs;
  std::string labels;
};

Found FindSamples(const fs::path& folder) {
  if (fs::is_directory(folder / "eval")) {
    return {(folder / "eval").string(), (folder / "eval/labels.pb").string()};
  }
  if (fs::exists(folder / "search_inputs.npy")) {
    return {(folder / "search_inputs.npy").string(), (folder / "search_labels.npy").string()};
  }
  return {folder.string(), ""};
}

Dataset LoadSamples(const Graph& graph, const Found& found, std::size_t most) {
  DatasetOptions options{.inputs = found.inputs,
                         .labels = found.labels,
                         .max_samples = static_cast<std::int64_t>(most)};
  if (!fs::exists(options.labels)) {
    options.labels.clear();
  }
  try {
    return LoadDataset(graph, options);
  } catch (const Error&) {
    if (options.labels.empty()) {
      throw;
    }
    options.labels.clear();  // of a prediction that is no class of one output
    return LoadDataset(graph, options);
  }
}

Dataset Spaced(const Dataset& all, std::size_t count, bool others) {
  std::vector<bool> is_chosen(all.size());
  for (std::size_t i = 0; i < count; ++i) {
    is_chosen[i * all.size() / count] = true;
  }
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_chosen[i] != others) {
      indices.push_back(i);
    }
  }
  return all.Part(indices);
}

}  // namespace

MeasuredNetwork LoadMeasured(const fs::path& folder, std::size_t most) {
  const Found found = FindSamples(folder);
  MeasuredNetwork network{
      .name = folder.filename().string(),
      .model = LoadModel({.path = folder / "model.onnx", .inputs = found.inputs}),
      .inputs = found.inputs};
  const Dataset all = LoadSamples(network.model.graph, found, most);
  network.flatters = all.size() < kFewestToSetAside;
  if (network.flatters) {
    network.samples = all;
    network.calibration = Spaced(all, std::min(all.size(), kMostCalibrated), false);
    return network;
  }
  const std::size_t aside = std::min(all.size() / 4, kMostCalibrated);
  network.calibration = Spaced(all, aside, false);
  network.samples = Spaced(all, aside, true);
  return network;
}

MeasureOptions AccuracyAlone(int threads) {
  return {.threads = threads,
          .quick_budget_s = kNoTime,
          .confirm_budget_s = kNoTime,
          .reject_overflow = false};
}

SampleScales CalibratedScales(const Graph& graph, const Dataset& samples, bool correct_bias,
                              int threads) {
  const auto start = std::chrono::steady_clock::now();
  Calibration calibration =
      Calibrate(graph, samples, {.correct_bias = correct_bias, .threads = threads});
  return {SharedQuantization(std::move(calibration.quantization)),
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

std::vector<UniformPlan> Int8Plans() {
  const Choice half{.format = DType::kFloat16, .mode = ImplMode::kHighPerformance};
  return {{"int8", {{.format = Qint8()}}},
          {"int8, float32 ends", {{.format = Qint8()}}, true},
          {"int8 and float16, float32 ends", {{.format = Qint8()}, half}, true}};
}

std::vector<UniformPlan> SixteenBitPlans() {
  return {{"float16", {{.format = DType::kFloat16, .mode = ImplMode::kHighPrecision}}},
          {"float16 fast", {{.format = DType::kFloat16, .mode = ImplMode::kHighPerformance}}},
          {"bfloat16", {{.format = DType::kBFloat16, .mode = ImplMode::kHighPerformance}}}};
}

namespace {

// Groups in 8 bits whose results no group in 8 bits reads give them in float32, or compute in it
// where they have no such form: a result in 8 bits in front of Softmax costs much and saves
// nothing.
void EndInFloat32(const Decisions& decisions, Assignment& assignment) {
  const auto is_scaled = [&](std::size_t group) {
    return decisions.groups()[group].choices[assignment[group]].format.is_scaled();
  };
  // Readers stand behind what they read, so the last groups first.
  for (std::size_t g = assignment.size(); g-- > 0;) {
    const bool is_read = std::ranges::any_of(decisions.edges(), [&](const DecisionEdge& edge) {
      return edge.from == g && is_scaled(edge.to);
    });
    if (is_read || !is_scaled(g)) {
      continue;
    }
    const std::vector<Choice>& choices = decisions.groups()[g].choices;
    const auto wide = std::ranges::find_if(
        choices, [&](const Choice& choice) { return choice.format.is_scaled() && choice.wide; });
    assignment[g] = wide != choices.end() ? static_cast<std::size_t>(wide - choices.begin()) : 0;
  }
}

Assignment AssignmentWith(const Decisions& decisions, const UniformPlan& uniform) {
  Assignment assignment(decisions.groups().size(), 0);
  for (auto choice = uniform.choices.rbegin(); choice != uniform.choices.rend(); ++choice) {
    const Assignment all = decisions.Uniform(*choice);
    for (std::size_t g = 0; g < all.size(); ++g) {
      if (decisions.groups()[g].choices[all[g]].format == choice->format) {
        assignment[g] = all[g];
      }
    }
  }
  if (uniform.ends_in_float32) {
    EndInFloat32(decisions, assignment);
  }
  return assignment;
}

}  // namespace

PrecisionPlan PlanOf(const Decisions& decisions, const UniformPlan& uniform) {
  return decisions.PlanFor(AssignmentWith(decisions, uniform));
}

std::size_t QuantizedGroups(const Decisions& decisions, const UniformPlan& uniform) {
  const Assignment assignment = AssignmentWith(decisions, uniform);
  std::size_t count = 0;
  for (std::size_t g = 0; g < assignment.size(); ++g) {
    count += decisions.groups()[g].choices[assignment[g]].format.is_scaled() ? 1 : 0;
  }
  return count;
}

Decisions DecisionsWith(const Graph& graph, const TargetSpec& target,
                        const SharedQuantization& quantization) {
  return Decisions(
      graph, target,
      {.formats = {DType::kFloat16, DType::kBFloat16, Qint8()}, .quantization = quantization});
}

}  // namespace halftone
