#include "search/choose.h"

#include "search/pareto_front.h"

namespace halftone {
namespace {

bool GoodEnough(const Constraints& constraints, const Measurement& measurement) {
  if (constraints.min_sqnr_db || constraints.max_top1_drop) {
    return true;  // the bounds have been met, and the user has set them
  }
  const MetricValue* sqnr = measurement.accuracy.Find("sqnr_db");
  return sqnr != nullptr && sqnr->worst >= kDefaultWorstSqnrDb;
}

}  // namespace

std::optional<std::size_t> ChooseMember(std::span<const Trial> front,
                                        const Constraints& constraints,
                                        std::optional<double> reference_top1) {
  std::optional<std::size_t> most_accurate;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const Measurement* measurement = front[i].measurement();
    if (measurement == nullptr || Violation(constraints, *measurement, reference_top1)) {
      continue;
    }
    if (GoodEnough(constraints, *measurement)) {
      return i;
    }
    if (!most_accurate ||
        ObjectivesOf(*measurement).loss < ObjectivesOf(*front[*most_accurate].measurement()).loss) {
      most_accurate = i;
    }
  }
  return most_accurate;
}

}  // namespace halftone
