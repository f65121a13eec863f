#include "halftone/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/api/bank/point_kernels.h"
#include "src/api/shape_profiles.h"
#include "src/public/configured_network.h"
#include "src/public/figures.h"

namespace halftone {

std::optional<Bounds95> BoundsOf(const std::optional<Interval>& interval) {
  return interval ? std::optional(Bounds95{.low = interval->low, .high = interval->high})
                  : std::nullopt;
}

std::vector<MetricFigures> FiguresOf(const Accuracy& accuracy) {
  std::vector<MetricFigures> metrics;
  for (const MetricValue& value : accuracy.metrics) {
    metrics.push_back({.name = std::string(value.name),
                       .mean = value.mean,
                       .mean_interval = BoundsOf(MeanInterval(value)),
                       .worst = value.worst,
                       .worst_sample = static_cast<std::int64_t>(value.worst_sample),
                       .worst_sample_name = value.worst_sample_name});
  }
  return metrics;
}

namespace {

RunFigures FiguresOf(RunResult run, const Model& model) {
  const Latency& latency = run.measurement.latency;
  RunFigures figures;
  figures.configuration = std::move(run.configuration);
  figures.input_shapes = model.input_shapes;
  figures.plan_digest = run.plan_digest.ToHex();
  if (run.timed) {
    figures.speed_up = latency.speed_up();
    figures.speed_up_interval = BoundsOf(latency.speed_up_interval());
  }
  figures.median_s = latency.median_s;
  figures.reference_median_s = run.reference_latency_s;
  figures.accuracy = FiguresOf(run.measurement.accuracy);
  figures.reference_top1 = run.reference_top1;
  figures.samples = run.sample_count;
  figures.representative = run.representative;
  figures.kept_nodes = std::move(run.kept_nodes);
  figures.low_precision_nodes = std::move(run.low_precision_nodes);
  figures.overflow = std::move(run.overflow);
  figures.judging = std::move(run.judging);
  figures.steps = run.steps;
  figures.tuned_steps = run.tuned_steps;
  return figures;
}

}  // namespace

Figures Run(const ConfiguredNetwork& network, const DatasetOptions& data,
            const MeasureSettings& settings, const std::function<bool()>& stop_requested) {
  const ConfiguredNetwork::Content& content = network.content();
  Figures figures{.by_shape = {}, .warnings = content.warnings};
  std::vector<KernelChoices> choices(content.models.size());
  if (content.point) {
    PointChoices of_point = ChoicesOfPoint(*content.point, settings.threads);
    std::ranges::fill(choices, of_point.choices);
    if (!of_point.note.empty()) {
      figures.warnings.push_back(std::move(of_point.note));
    }
  }
  RunHooks hooks;
  hooks.stop_requested = stop_requested;
  std::vector<RunResult> runs = RunShapeProfiles(
      content.models, {content.target, content.precision, data, choices}, settings, hooks);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    figures.warnings.insert(figures.warnings.end(), runs[i].warnings.begin(),
                            runs[i].warnings.end());
    if (!runs[i].load_warning.empty()) {
      figures.warnings.push_back(runs[i].load_warning);
    }
    figures.interrupted = figures.interrupted || runs[i].interrupted;
    figures.by_shape.push_back(FiguresOf(std::move(runs[i]), content.models[i]));
  }
  if (content.models.size() > 1) {
    figures.warnings.push_back(
        fmt::format("the samples have {} input shapes: the figures are those of the first, and "
                    "by_shape has all of them",
                    content.models.size()));
  }
  return figures;
}

}  // namespace halftone
