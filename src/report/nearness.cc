// Texts of accuracy: SQNR where outputs are floating, agreement where none is.
#include <fmt/format.h>

#include <algorithm>

#include "src/accuracy/discrete_outputs.h"
#include "src/report/formats.h"

namespace halftone {

std::string FormatMetric(std::string_view metric, double value) {
  if (metric == "agreement") {
    return FormatShare(value);
  }
  const MetricRow* row = RowOfValue(metric);
  const std::string_view word = row == nullptr ? "" : WordOfValue(row->name, value);
  return word.empty() ? fmt::format("{:.6g}", value + 0.0) : std::string(word);  // no "-0"
}

bool IsJudgedByAgreement(const Accuracy& accuracy) {
  return accuracy.Find("sqnr_db") == nullptr && accuracy.Find("agreement") != nullptr;
}

bool IsJudgedByAgreement(const TuneSummary& summary) {
  return !summary.front.points.empty() &&
         std::ranges::all_of(summary.front.points, [](const FrontPoint& point) {
           return IsJudgedByAgreement(point.measurement().accuracy);
         });
}

Nearness NearnessOf(const Accuracy& accuracy) {
  if (IsJudgedByAgreement(accuracy)) {
    const MetricValue& agreement = *accuracy.Find("agreement");
    return {"agreement", FormatShare(agreement.mean), FormatShare(agreement.worst)};
  }
  const MetricValue* sqnr = accuracy.Find("sqnr_db");
  return {"SQNR", sqnr != nullptr ? FormatSqnr(sqnr->mean) : "-",
          sqnr != nullptr ? FormatSqnr(sqnr->worst) : "-"};
}

}  // namespace halftone
