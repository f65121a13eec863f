#include "src/report/front_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "search/trial/pareto_front.h"
#include "src/base/text.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

constexpr std::size_t kNamesShown = 3;
constexpr std::string_view kTop1Column = "top-1";

std::string FormatTop1(const TuneSummary& summary, const Accuracy& accuracy) {
  if (const MetricValue* top1 = accuracy.Find("top1"); top1 != nullptr && summary.reference.top1) {
    return fmt::format("{:.2f} % ({:+.2f})", 100 * top1->mean,
                       100 * (top1->mean - *summary.reference.top1));
  }
  if (const MetricValue* agreement = accuracy.Find("top1_agreement"); agreement != nullptr) {
    return fmt::format("{:.2f} % same", 100 * agreement->mean);
  }
  return "-";
}

std::string MeanText(const Accuracy& accuracy, std::string_view metric) {
  const MetricValue* value = accuracy.Find(metric);
  return value != nullptr ? FormatMetric(metric, value->mean) : "-";
}

}  // namespace

bool IsTie(const Latency& latency) {
  const Interval interval = latency.speed_up_interval();
  return !latency.is_predicted() &&
         ((interval.low <= 1 && 1 <= interval.high) || std::abs(latency.ratio - 1) < kTieRatio);
}

std::string FormatSpeedUp(const Latency& latency) {
  const Interval interval = latency.speed_up_interval();
  if (latency.is_predicted()) {
    return fmt::format("{:.3f}x (predicted)", latency.speed_up());
  }
  return fmt::format("{:.3f}x [{:.3f}, {:.3f}]{}", latency.speed_up(), interval.low, interval.high,
                     IsTie(latency) ? " tie" : "");
}

std::string FormatSpeed(const Latency& latency, std::string_view anchor) {
  const Interval interval = latency.speed_up_interval();
  return IsTie(latency) ? fmt::format("as fast as {} ({:.3f}x [{:.3f}, {:.3f}])", anchor,
                                      latency.speed_up(), interval.low, interval.high)
                        : fmt::format("{} the speed of {}", FormatSpeedUp(latency), anchor);
}

std::string AnchorInWords(const std::string& anchor) {
  return anchor == kFloat32Anchor ? "float32" : anchor;
}

std::string TitleOfMetric(const std::string& name) {
  return name.starts_with(kCommandMetric) ? "metric" : Printable(name);
}

std::string FormatWorstSample(const MetricValue& value) {
  if (value.worst_sample < 0) {
    return "-";
  }
  return value.worst_sample_name.empty()
             ? fmt::format("{}", value.worst_sample)
             : fmt::format("{} ({})", value.worst_sample, Printable(value.worst_sample_name));
}

std::string LatencyNote(std::string_view target, std::string_view runtime) {
  if (!runtime.empty()) {
    return fmt::format("latency and accuracy: of {}", runtime);
  }
  return target == "host"
             ? std::string()
             : fmt::format(
                   "latency: predicted for {0}, not measured; accuracy: computed on the "
                   "host in the dtypes that {0} would use",
                   target);
}

std::string NameOfLatencySource(const RunFacts& run) {
  if (!run.runtime.empty()) {
    return run.runtime;
  }
  return run.target == "host" ? "host" : "nothing: predicted";
}

std::vector<std::string> OptionTexts(const FrontPoint& point, const Vocabulary& words) {
  if (!words.arguments_are_of_the_tool && !point.folder.empty()) {
    return {fmt::format("sh {}/{}", point.folder, words.script)};
  }
  std::vector<std::string> texts;
  for (const Argument& argument : point.arguments) {
    texts.push_back(fmt::format("{}={}", argument.option, argument.value));
  }
  return texts;
}

std::string FormatKept(const Trial& trial, std::size_t most) {
  const std::size_t kept = trial.kept_nodes.size();
  const std::size_t total = kept + trial.low_precision_nodes.size();
  if (kept == 0) {
    return "none";
  }
  if (kept == total) {
    return fmt::format("all {}", total);
  }
  std::vector<std::string> names(
      trial.kept_nodes.begin(),
      trial.kept_nodes.begin() + static_cast<std::ptrdiff_t>(std::min(most, kept)));
  return fmt::format("{} of {}: {}{}", kept, total, Join(names, ", "), kept > most ? ", ..." : "");
}

std::string DescribedPoint(const TuneSummary& summary) {
  const std::optional<std::size_t> described = summary.front.described();
  return summary.front.chosen || !described
             ? std::string("the chosen point")
             : fmt::format("point {}, the nearest one", *described + 1);
}

TextTable FrontTable(const TuneSummary& summary) {
  TextTable table;
  const bool by_agreement = IsJudgedByAgreement(summary);
  const std::string what = by_agreement ? "agreement" : "SQNR";
  table.header = {"#",
                  "speed-up [95 %]",
                  what + " mean",
                  what + " worst",
                  std::string(kTop1Column),
                  "configuration",
                  "kept in float32"};
  // The columns of agreement are there already, and float32's own is 100 %.
  const bool metric =
      summary.reference.metric && !(by_agreement && summary.reference.metric->name == "agreement");
  const bool heldout =
      std::any_of(summary.front.points.begin(), summary.front.points.end(),
                  [](const FrontPoint& point) { return point.heldout.has_value(); });
  const bool heldout_metric = heldout && metric && summary.reference.metric->heldout_reference;
  if (heldout_metric) {
    table.header.insert(table.header.begin() + 5,
                        fmt::format("held-out (fp32 {})",
                                    FormatMetric(summary.reference.metric->name,
                                                 *summary.reference.metric->heldout_reference)));
  }
  if (metric) {
    table.header.insert(table.header.begin() + 5,
                        fmt::format("{} (fp32 {})", TitleOfMetric(summary.reference.metric->name),
                                    FormatMetric(summary.reference.metric->name,
                                                 summary.reference.metric->reference)));
  }
  if (heldout) {
    table.header.insert(table.header.begin() + 5, what + " held-out");
  }
  for (std::size_t i = 0; i < summary.front.points.size(); ++i) {
    const FrontPoint& point = summary.front.points[i];
    const Measurement& measurement = point.measurement();
    const Nearness nearness = NearnessOf(measurement.accuracy);
    std::vector<std::string> row = {
        fmt::format("{}{}", i + 1, summary.front.chosen == i ? " *" : ""),
        FormatSpeedUp(measurement.latency) + (measurement.confirmed ? "" : " unconfirmed"),
        nearness.mean,
        nearness.worst,
        FormatTop1(summary, measurement.accuracy),
        Summary(point.trial.candidate, *summary.run.words),
        FormatKept(point.trial, kNamesShown)};
    if (heldout_metric) {
      row.insert(row.begin() + 5,
                 point.heldout ? MeanText(*point.heldout, summary.reference.metric->name) : "-");
    }
    if (metric) {
      row.insert(row.begin() + 5, MeanText(measurement.accuracy, summary.reference.metric->name));
    }
    if (heldout) {
      row.insert(row.begin() + 5, point.heldout ? NearnessOf(*point.heldout).mean : "-");
    }
    table.rows.push_back(std::move(row));
  }
  if (!summary.run.shows_classes) {
    const auto column = std::ranges::find(table.header, kTop1Column) - table.header.begin();
    table.header.erase(table.header.begin() + column);
    for (std::vector<std::string>& row : table.rows) {
      row.erase(row.begin() + column);
    }
  }
  return table;
}

std::vector<std::string> FrontFootnotes(const TuneSummary& summary) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < summary.front.points.size(); ++i) {
    const FrontPoint& point = summary.front.points[i];
    const MetricValue* sqnr = point.measurement().accuracy.Find("sqnr_db");
    if (point.trial.low_precision_nodes.empty() && !point.as_float32 &&
        !point.measurement().runtime && sqnr != nullptr && sqnr->mean < kExactSqnrDb) {
      notes.push_back(fmt::format(
          "Point {} computes everything in float32: its {} are the rounding of float32 itself, "
          "because its kernels add in another order than those that it is compared with.",
          i + 1, FormatSqnr(sqnr->mean)));
    }
  }
  return notes;
}

}  // namespace halftone
