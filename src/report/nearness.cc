// Texts of accuracy: SQNR where outputs are floating, agreement where none is.
#include <fmt/format.h>

#include <algorithm>

#include "src/accuracy/discrete_outputs.h"
#include "src/report/formats.h"

namespace halftone {

std::string FormatSqnr(double sqnr_db) {
  return sqnr_db >= kExactSqnrDb ? "exact" : fmt::format("{:.1f} dB", sqnr_db);
}

std::string FormatMetric(std::string_view metric, double value) {
  return metric == "agreement" ? FormatShare(value) : fmt::format("{:.6g}", value);
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
