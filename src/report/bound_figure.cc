#include "src/report/bound_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "src/accuracy/discrete_outputs.h"
#include "src/accuracy/metrics.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

std::string WithInterval(const MetricValue& value, std::string (*number)(double)) {
  const std::optional<Interval> interval = MeanInterval(value);
  return number(value.mean) +
         (interval ? fmt::format(" [{}, {}]", number(interval->low), number(interval->high)) : "");
}

std::string ShareText(const MetricValue& value, const std::function<bool(double)>& keeps) {
  return value.values.empty() ? "not known of single samples"
                              : fmt::format("{} of {}", std::ranges::count_if(value.values, keeps),
                                            Counted(std::ssize(value.values), "sample"));
}

std::string SqnrFigure(double bound, std::optional<double> share, const BoundValues& values) {
  const MetricValue* sqnr = values.accuracy.Find("sqnr_db");
  return sqnr == nullptr ? "unknown"
         : share         ? ShareText(*sqnr, [&](double v) { return v >= bound; })
                         : WithInterval(*sqnr, FormatSqnr);
}

std::string RelL2Figure(double bound, std::optional<double> share, const BoundValues& values) {
  const MetricValue* rel_l2 = values.accuracy.Find("rel_l2");
  return rel_l2 == nullptr ? "unknown"
         : share           ? ShareText(*rel_l2, [&](double v) { return v <= bound; })
                           : WithInterval(*rel_l2, [](double v) {
                     const std::string_view word = WordOfValue("rel_l2", v);
                     return word.empty() ? fmt::format("{:.3g}", v) : std::string(word);
                   });
}

std::string Top1Figure(double /*bound*/, std::optional<double> /*share*/,
                       const BoundValues& values) {
  const MetricValue* top1 = values.accuracy.Find("top1");
  if (top1 != nullptr && values.reference_top1) {
    const auto& flips = values.accuracy.flips;
    return fmt::format("a drop of {:.2f} %{}", 100 * (*values.reference_top1 - top1->mean),
                       flips && flips->labelled > 0
                           ? fmt::format(" ({} lost, {} won of {})", flips->lost, flips->won,
                                         Counted(flips->labelled, "row"))
                           : "");
  }
  const MetricValue* agreement = values.accuracy.Find("top1_agreement");
  return agreement == nullptr ? "unknown"
                              : "the class of float32 in " + WithInterval(*agreement, [](double v) {
                                  return fmt::format("{:.2f} %", 100 * v);
                                });
}

std::string AgreementFigure(double /*bound*/, std::optional<double> /*share*/,
                            const BoundValues& values) {
  const MetricValue* agreement = values.accuracy.Find("agreement");
  return agreement == nullptr ? "unknown" : WithInterval(*agreement, FormatShare);
}

std::string OwnMetricFigure(double /*bound*/, std::optional<double> /*share*/,
                            const BoundValues& values) {
  const MetricValue* own = values.accuracy.FindOwn();
  return own == nullptr ? "unknown"
                        : WithInterval(*own, [](double v) { return fmt::format("{:.6g}", v); });
}

std::string LatencyFigure(double /*bound*/, std::optional<double> /*share*/,
                          const BoundValues& values) {
  if (values.latency->is_predicted()) {
    return fmt::format("{:.3f} of {}, predicted", values.latency->ratio, values.anchor);
  }
  return fmt::format("{:.3f} [{:.3f}, {:.3f}] of {}", values.latency->ratio,
                     values.latency->ratio_interval.low, values.latency->ratio_interval.high,
                     values.anchor);
}

struct FigureRow {
  std::optional<double> Constraints::*value;
  std::string (*figure)(double bound, std::optional<double> share, const BoundValues& values);
};

constexpr FigureRow kFigures[] = {
    {&Constraints::min_sqnr_db, SqnrFigure},
    {&Constraints::max_rel_l2, RelL2Figure},
    {&Constraints::max_top1_drop, Top1Figure},
    {&Constraints::min_agreement, AgreementFigure},
    {&Constraints::min_metric, OwnMetricFigure},
    {&Constraints::max_metric, OwnMetricFigure},
    {&Constraints::max_latency_ratio, LatencyFigure},
};

}  // namespace

std::string BoundFigure(const BoundRow& row, const Constraints& constraints,
                        const BoundValues& values) {
  const auto* const figure = std::ranges::find(kFigures, row.value, &FigureRow::value);
  Check(figure != std::end(kFigures), "every bound has a figure");
  return figure->figure(*(constraints.*row.value), row.ShareIn(constraints), values);
}

}  // namespace halftone
