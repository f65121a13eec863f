#include "src/api/tune/run_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/parallel.h"
#include "src/accuracy/discrete_outputs.h"
#include "src/api/bank/workload.h"
#include "src/api/shape_profiles.h"
#include "src/base/error.h"
#include "src/base/shell_words.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Whether top-1 says something of this network: it makes classes, has labels, or the user asks.
bool ShowsClasses(const Graph& graph, const TuneOptions& options) {
  const auto is_of_classes = [](std::string_view name) {
    return name.find("top1") != std::string_view::npos ||
           name.find("top5") != std::string_view::npos;
  };
  return MakesClasses(graph) || options.data.has_labels() || options.constraints.max_top1_drop ||
         is_of_classes(options.measure.metric.metric) ||
         std::ranges::any_of(options.fail_if,
                             [&](const Gate& gate) { return is_of_classes(gate.quantity); });
}

// RunFacts::run_options.
std::string RunOptionsOf(const TuneOptions& options) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) {
      text += " " + ShellArgument(fmt::format("--{}={}", name, value));
    }
  };
  add("image", options.data.image);
  add("state", options.data.state);
  if (options.data.sequence_length > 0) {
    add("sequence_length", fmt::format("{}", options.data.sequence_length));
  }
  add("metric", options.measure.metric.metric);
  add("metric_better", options.measure.metric.better);
  return text;
}

}  // namespace

std::vector<double> WeightsOf(std::span<const Model> profiles, const TuneOptions& options,
                              std::span<const DataSplit> parts) {
  if (options.shape_weights.empty()) {
    std::vector<double> weights;
    for (const DataSplit& part : parts) {
      weights.push_back(static_cast<double>(part.search.size() + part.heldout.size()));
    }
    return weights;
  }
  const bool positive = std::ranges::all_of(
      options.shape_weights, [](double weight) { return weight > 0 && std::isfinite(weight); });
  if (options.shape_weights.size() != profiles.size() || !positive) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--shape_weights={}: expected a number above 0 for each input shape, "
                            "which are {}: {}",
                            fmt::join(options.shape_weights, ","), profiles.size(),
                            NamesOfProfiles(profiles)));
  }
  return options.shape_weights;
}

RunFacts FactsOf(std::span<const Model> profiles, const TuneOptions& options,
                 const TargetSpec& target, std::span<const DataSplit> parts,
                 std::span<const double> weights, const SearchSpace& space) {
  const Model& model = profiles.front();
  std::vector<ShapeFacts> shapes;
  std::int64_t samples = 0;
  std::int64_t heldout = 0;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    shapes.push_back({.input_shapes = NameOfProfile(profiles, i),
                      .weight = weights[i],
                      .sample_count = static_cast<std::int64_t>(parts[i].search.size())});
    samples += shapes.back().sample_count;
    heldout += static_cast<std::int64_t>(parts[i].heldout.size());
  }
  return {.tool_version = std::string(Version()),
          .command = options.command,
          .created_at = UtcNow(),
          .model_name = model.name,
          .model_path = model.path.string(),
          .model_hash = model.hash,
          .input_shapes = NamesOfProfiles(profiles),
          .shapes = std::move(shapes),
          .node_count = std::ssize(model.graph.nodes),
          .keepable_count = std::ssize(space.keepable_nodes),
          .target = target.name,
          .anchor = options.measure.on.runtime.empty() ? AnchorOf(model.graph, target).name
                                                       : std::string(kFloat32Anchor),
          .words = &VocabularyOf(target),
          .cpu = CpuName(),
          .cpu_isa = IsaName(CpuIsa()),
          .isa = IsaName(UsedIsa()),
          .compiler = CompilerName(),
          .threads = ThreadPool(options.measure.threads).threads(),
          .inputs = options.data.InputsName(),
          .run_options = RunOptionsOf(options),
          .sample_count = samples,
          .heldout_count = heldout,
          .representative = parts.front().search.representative,
          .shows_classes = ShowsClasses(model.graph, options),
          .seed = options.seed,
          .space = space.Summary()};
}

}  // namespace halftone
