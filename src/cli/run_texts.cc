#include "src/cli/run_texts.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "src/api/retune/retune.h"
#include "src/api/shape_profiles.h"
#include "src/base/text.h"
#include "src/cli/terminal.h"

namespace halftone {
namespace {

// Fewest rounds whose interval has 95 %: 2^-5 is the share of six that lie on one side.
constexpr std::size_t kRoundsOfAnInterval = 6;

}  // namespace

void PrintAccuracy(const RunResult& result) {
  const Measurement& measurement = result.measurement;
  PrintLine("configuration: " + result.configuration);
  for (const MetricValue& value : measurement.accuracy.metrics) {
    if (value.name.starts_with("top") && !result.shows_classes) {
      continue;
    }
    const std::optional<Interval> interval = MeanInterval(value);
    const auto text = [&](double number) { return FormatMetric(value.name, number); };
    PrintLine(fmt::format(
        "{:<16} mean {:<12} {}worst {} (sample {})", value.name, text(value.mean),
        interval ? fmt::format("[{}, {}] ", text(interval->low), text(interval->high)) : "",
        text(value.worst), FormatWorstSample(value)));
  }
  if (measurement.accuracy.flips && result.shows_classes) {
    PrintLine(fmt::format("{:<16} {}", "top-1", Describe(*measurement.accuracy.flips)));
  }
  for (const std::string& sentence : result.judging) {
    PrintLine(sentence);
  }
  for (const std::string& sentence : result.overflow) {
    PrintLine(sentence);
  }
  if (result.reference_top1) {
    PrintLine(fmt::format("{:<16} {:.6g}", "top1 of fp32", *result.reference_top1));
  }
  const bool all = result.sample_count == result.planned_samples;
  PrintLine(fmt::format(
      "{}{}{}{}; plan {}", all ? "" : fmt::format("{} of ", result.sample_count),
      Counted(result.planned_samples, "sample"), result.representative ? "" : " of random data",
      measurement.runtime
          ? ""
          : "; arena " + FormatBytes(static_cast<double>(measurement.peak_arena_bytes)),
      result.plan_digest.ToHex()));
}

void PrintLatency(const RunResult& result) {
  const Measurement& measurement = result.measurement;
  if (result.timed) {
    const std::size_t rounds = measurement.latency.candidate_samples_s.size();
    PrintLine(fmt::format("speed-up {} over {}; {} a run, {} {}{}",
                          FormatSpeedUp(measurement.latency), result.anchor,
                          FormatSeconds(measurement.latency.median_s), result.anchor,
                          FormatSeconds(result.reference_latency_s),
                          rounds == 0 || rounds >= kRoundsOfAnInterval
                              ? ""
                              : fmt::format("; of {} only, too few for an interval of 95 %",
                                            Counted(static_cast<std::int64_t>(rounds), "round"))));
  }
  if (!result.no_latency.empty()) {
    PrintLine("latency: not measured, " + result.no_latency);
  }
  if (const auto& run = measurement.runtime) {
    PrintLine(fmt::format("on {}{}{}{}", run->runtime, run->detail.empty() ? "" : ": ", run->detail,
                          run->own_outputs ? "" : "; accuracy is that of halftone's kernels"));
  }
}

void PrintEnd(std::string_view budget, const RunResult& result) {
  if (!result.interrupted && result.sample_count < result.planned_samples) {
    PrintWarning(fmt::format("accuracy is that of {} of {} samples, for which --budget={} has time",
                             result.sample_count, result.planned_samples, budget));
  }
  if (!result.interrupted) {
    return;
  }
  const std::size_t rounds = result.measurement.latency.candidate_samples_s.size();
  PrintNote(
      result.sample_count < result.planned_samples
          ? fmt::format("interrupted after {} of {} samples", result.sample_count,
                        result.planned_samples)
          : fmt::format("interrupted after all samples and {} of latency",
                        Counted(static_cast<std::int64_t>(result.timed ? rounds : 0), "round")));
}

void PrintShape(std::span<const Model> models, std::size_t shape) {
  if (models.size() > 1) {
    PrintText(shape > 0 ? "\n" : "");
    PrintLine(fmt::format("input shape {}", NameOfProfile(models, shape)));
  }
}

void PrintMeasuredThen(const Point& point, std::span<const Model> models,
                       const TargetOptions& target) {
  if (!point.record || point.record->measured.empty()) {
    return;
  }
  const ShippedFront then = ReadShippedPoint(models.front(), point.folder, target);
  const Measurement& measurement = *then.members.at(0).measurement();
  const Nearness nearness = NearnessOf(measurement.accuracy);
  PrintLine(fmt::format("measured by tune at {}: speed-up {}, {} {}, halftone {} on {}",
                        then.recorded_at, FormatSpeedUp(measurement.latency), nearness.mean,
                        nearness.what, then.tool_version, then.cpu));
  if (then.input_shapes != NamesOfProfiles(models)) {
    PrintLine(fmt::format("that was over the input shapes {}", then.input_shapes));
  }
}

void PrintKernels(std::span<const Model> models, const TargetSpec& target,
                  const PrecisionOptions& precision, const std::vector<KernelChoices>& choices) {
  const std::vector<PrecisionPlan> plans = PlansOfProfiles(models, target, precision);
  for (std::size_t i = 0; i < models.size(); ++i) {
    PrintShape(models, i);
    for (const KernelUse& use : ExplainKernels(models[i].graph, plans[i], choices[i])) {
      PrintLine(fmt::format(
          "{} ({}, {}): {}{}{}", use.node, use.op, use.dtype, use.kernel,
          use.passed_over.empty() ? "" : "; passed over: ", Join(use.passed_over, "; ")));
    }
  }
}

}  // namespace halftone
