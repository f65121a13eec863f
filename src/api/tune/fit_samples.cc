#include "src/api/tune/fit_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "src/api/load/calibration_samples.h"
#include "src/base/text.h"
#include "src/exec/executable.h"
#include "src/precision/precision_plan.h"

namespace halftone {
namespace {

std::size_t Shared(std::size_t count, double share) {
  return static_cast<std::size_t>(std::ceil(static_cast<double>(count) * share));
}

// Seconds of a pass over `count` of every shape.
template <typename Count>
double SecondsOf(const std::vector<ShapeSamples>& shapes, const Count& count) {
  double seconds = 0;
  for (const ShapeSamples& shape : shapes) {
    seconds += shape.run_s * static_cast<double>(count(shape));
  }
  return seconds;
}

// The largest of 1, 1/2, 1/4, ... of the samples that takes at most `most_s`; that of one sample a
// shape where none does.
double ShareWithin(const std::vector<ShapeSamples>& shapes, std::size_t ShapeSamples::*count,
                   double most_s) {
  std::size_t largest = 1;
  for (const ShapeSamples& shape : shapes) {
    largest = std::max(largest, shape.*count);
  }
  double share = 1;
  while (share * static_cast<double>(largest) > 1 &&
         SecondsOf(shapes, [&](const ShapeSamples& shape) { return Shared(shape.*count, share); }) >
             most_s) {
    share /= 2;
  }
  return share;
}

// Of a run of the first sample; compiles the network, which is not counted.
double SecondsOfRun(const Graph& graph, const Dataset& data, const ThreadPool& pool,
                    const TimeBudget& budget) {
  const Executable executable =
      Compile(graph, ReferencePlan(graph), {.choices = KernelChoices(pool.threads())});
  Workspace workspace = executable.NewWorkspace();
  const Sample sample = data.Read(0);
  // What a network does only once, as reading its weights for the first time, is no part of a run.
  constexpr double kShort_s = 0.2;
  double seconds = 0;
  for (int run = 0; run < 2 && (run == 0 || seconds < kShort_s); ++run) {
    const double begin_s = budget.elapsed_s();
    pool.Run([&] {
      RunSteps(sample, data.state, [&](std::span<const Tensor> given) {
        std::vector<Tensor> outputs = executable.NewOutputs();
        executable.Run(workspace, executable.ConvertInputs(given), outputs);
        return outputs;
      });
    });
    seconds = budget.elapsed_s() - begin_s;
  }
  return seconds;
}

Dataset Fewer(const Dataset& all, std::size_t count) {
  Dataset part = EvenlySpaced(all, count);
  part.notes = all.notes;
  part.drawn_from = all.drawn_from;
  return part;
}

std::size_t CountOf(const std::vector<ShapeSamples>& shapes, std::size_t ShapeSamples::*count) {
  std::size_t all = 0;
  for (const ShapeSamples& shape : shapes) {
    all += shape.*count;
  }
  return all;
}

std::string WarningOf(const std::vector<ShapeSamples>& all, const std::vector<ShapeSamples>& used,
                      double budget_s) {
  const std::size_t heldout = CountOf(all, &ShapeSamples::heldout);
  const std::size_t count = CountOf(all, &ShapeSamples::search);
  const double pass_s = SecondsOf(all, [](const ShapeSamples& shape) { return shape.search; });
  const double judged_s =
      (1 + kJudgedPoints) * SecondsOf(all, [](const ShapeSamples& shape) { return shape.heldout; });
  const double needed_s = std::max(pass_s / kPassShare, judged_s / kHeldoutShareOfTime);
  return fmt::format(
      "{} of {} of the search are used{}: a float32 run takes {:.2g} s here, and the budget is "
      "{:g} s; one of {:.0f}min has time for all",
      CountOf(used, &ShapeSamples::search), Counted(static_cast<std::int64_t>(count), "sample"),
      heldout > 0 ? fmt::format(", and {} of {} held-out ones",
                                CountOf(used, &ShapeSamples::heldout), heldout)
                  : "",
      (pass_s + judged_s / (1 + kJudgedPoints)) / static_cast<double>(count + heldout), budget_s,
      std::ceil(needed_s / 60));
}

}  // namespace

std::vector<ShapeSamples> CountsWithin(std::vector<ShapeSamples> shapes, double budget_s) {
  const double search = ShareWithin(shapes, &ShapeSamples::search, kPassShare * budget_s);
  const double judged_s = kHeldoutShareOfTime * budget_s / (1 + kJudgedPoints);
  const double heldout = ShareWithin(shapes, &ShapeSamples::heldout, judged_s);
  const bool none = SecondsOf(shapes, [&](const ShapeSamples& shape) {
                      return Shared(shape.heldout, heldout);
                    }) > judged_s;
  for (ShapeSamples& shape : shapes) {
    shape.search = Shared(shape.search, search);
    shape.heldout = none ? 0 : Shared(shape.heldout, heldout);
  }
  return shapes;
}

Hash128 AskedSamples(const Samples& samples, double budget_s) {
  Hasher hasher;
  for (const DataSplit& part : samples.parts) {
    hasher.Add(part.search.Hash()).Add(part.heldout.Hash());
  }
  return hasher.Add(fmt::format("{}", budget_s)).Finish();
}

Samples Reduced(Samples samples, FittedSamples fitted) {
  for (std::size_t i = 0; i < samples.parts.size(); ++i) {
    DataSplit& part = samples.parts[i];
    part.search = Fewer(part.search, fitted.used.at(i).search);
    part.heldout = Fewer(part.heldout, fitted.used.at(i).heldout);
  }
  if (!fitted.warning.empty()) {
    samples.warnings.push_back(fitted.warning);
  }
  samples.fitted = std::move(fitted);
  return samples;
}

Samples FitSamples(std::span<const Model> profiles, const TuneOptions& options, TimeBudget& budget,
                   Samples all) {
  if (!budget.limit_s()) {
    return all;
  }
  const PhaseScope scope(budget, BudgetPhase::kReference);
  budget.LearnRun(0);  // that of a network before it
  const ThreadPool pool(options.measure.threads);
  std::vector<ShapeSamples> counts;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (budget.IsOver()) {
      all.has_time = false;
      return all;
    }
    const DataSplit& part = all.parts[i];
    counts.push_back({.run_s = SecondsOfRun(profiles[i].graph, part.search, pool, budget),
                      .search = part.search.size(),
                      .heldout = part.heldout.size()});
    if (i == 0) {
      budget.LearnRun(counts.front().run_s);
    }
  }
  const double limit_s = *budget.limit_s();
  const std::vector<ShapeSamples> used =
      options.fit_samples ? CountsWithin(counts, limit_s) : counts;
  FittedSamples fitted{.asked = AskedSamples(all, limit_s), .used = used, .warning = ""};
  const double pass_s = SecondsOf(used, [](const ShapeSamples& shape) { return shape.search; });
  all.has_time = pass_s <= budget.left_s();
  if (used == counts) {
    all.fitted = std::move(fitted);
    return all;
  }
  fitted.warning = WarningOf(counts, used, limit_s);
  return Reduced(std::move(all), std::move(fitted));
}

}  // namespace halftone
