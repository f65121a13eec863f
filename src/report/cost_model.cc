#include "src/report/cost_model.h"

#include <fmt/format.h>

#include "src/report/tune_summary.h"

namespace halftone {

std::string CostModelSentence(const TuneSummary& summary) {
  if (summary.run.cost_model.empty()) {
    return {};
  }
  const FrontPoint& point = summary.front.chosen_point();
  return fmt::format(
      " Chosen by accuracy and the cost model of {} ({:.0f} % of the multiply-adds in 8 bits, "
      "predicted {:.2f}x); nothing was timed.",
      summary.run.cost_model, 100 * point.scaled_share, point.measurement().latency.speed_up());
}

}  // namespace halftone
