#include "src/api/tune/runtime_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "search/space/decisions.h"
#include "search/space/mode_format.h"
#include "search/strategies/model_strategy.h"
#include "src/api/runtime/open_runtime.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Why the runtime does not have a format; empty: it has.
std::string WhyRefused(LatencySource& runtime, const Decisions& decisions, NumericFormat format) {
  const std::vector<Choice> choices = decisions.AllChoices();
  const auto choice = std::ranges::find(choices, format, &Choice::format);
  if (choice == choices.end()) {
    return {};
  }
  const auto tried = runtime.TryOut(decisions.PlanFor(decisions.Uniform(*choice)));
  if (const auto* rejection = std::get_if<Rejection>(&tried)) {
    return rejection->reason;
  }
  const auto& run = std::get<RuntimeRun>(tried);
  return run.low_asked > 0 && run.low_ran == 0
             ? fmt::format("it ran all {} in float32", Counted(run.low_asked, "product"))
             : "";
}

void Refuse(NumericFormat format, SearchSpace& space) {
  space.refused_formats.push_back(format);
  std::erase_if(space.modes, [&](const std::string& mode) { return FormatOfMode(mode) == format; });
  if (format.is_scaled()) {
    space.quantization = {};
  }
}

}  // namespace

OpenedLatency OpenRuntime(const NetworkAtShapes& network, const TuneOptions& options,
                          const Dataset& samples, const std::function<bool()>& stop_requested) {
  if (network.profiles.size() > 1) {
    throw Error(ErrorKind::kUnsupported,
                "--measure takes one input shape: its files are of one shape; tune the shapes one "
                "by one");
  }
  OpenedRuntime opened = OpenRuntime({network.model(), options.target, network.target, samples},
                                     options.measure, options.bank, stop_requested);
  return {.source = TimedBy(std::move(opened.runtime)), .notes = std::move(opened.notes)};
}

std::vector<std::string> WarningsOfRuntime(const TunedFront& front) {
  std::vector<std::string> warnings;
  bool kernels_judged = false;
  for (std::size_t i = 0; i < front.points.size(); ++i) {
    const auto& run = front.points[i].measurement().runtime;
    if (run && !run->as_asked) {
      warnings.push_back(fmt::format("point {} did not run as its plan says on {}: {}", i + 1,
                                     run->runtime, run->detail));
    }
    kernels_judged = kernels_judged || (run && !run->own_outputs);
  }
  if (kernels_judged) {
    warnings.emplace_back(
        "accuracy is that of halftone's kernels: the runtime hands out no outputs");
  }
  return warnings;
}

RunnableSpace WithoutRefusedFormats(SearchSpace space, const NetworkAtShapes& network,
                                    LatencySource& runtime) {
  RunnableSpace runnable{.space = std::move(space), .warnings = {}};
  runnable.space.impl_mode_sets.resize(1);  // of halftone's kernels
  runnable.space.slow_choices.clear();
  const std::vector<NumericFormat> formats =
      DecisionOptionsOf(runnable.space, network.target).formats;
  for (const NumericFormat format : formats) {
    const Decisions decisions(network.graph(), network.target,
                              DecisionOptionsOf(runnable.space, network.target));
    if (const std::string why = WhyRefused(runtime, decisions, format); !why.empty()) {
      Refuse(format, runnable.space);
      runnable.warnings.push_back(fmt::format("{} is not searched: {}: {}", ShownNameOf(format),
                                              runtime.description(), why));
    }
  }
  return runnable;
}

}  // namespace halftone
