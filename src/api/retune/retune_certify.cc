// What held-out samples promise of the shipped configuration now.
#include <fmt/format.h>

#include <utility>

#include "src/api/retune/retune.h"
#include "src/api/tune/heldout.h"

namespace halftone {

void CertifyShipped(const Model& model, const TargetSpec& target, const TuneOptions& options,
                    const CompileOptions& compile, const Dataset& heldout, RetuneResult& result) {
  const ShippedFront& front = result.front;
  if (!front.constraints.of_accuracy()) {
    return;
  }
  TuneSummary judged;
  judged.constraints = front.constraints;
  judged.heldout_count = static_cast<std::int64_t>(heldout.size());
  std::vector<RetunedPoint*> points;
  for (RetunedPoint& point : result.points) {
    if (point.after.measurement() != nullptr) {
      judged.points.push_back({.trial = point.after});
      points.push_back(&point);
    }
  }
  WarnWithoutHeldout(judged);
  EvaluateHeldout(model, target, options, compile, heldout, judged);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i]->heldout = std::move(judged.points[i].heldout);
  }
  result.heldout_count = judged.heldout_count;
  result.heldout_reference = std::move(judged.heldout_reference);
  result.warnings.insert(result.warnings.end(), judged.warnings.begin(), judged.warnings.end());
  if (front.chosen && *front.chosen < result.points.size()) {
    RetunedPoint& shipped = result.points[*front.chosen];
    if (shipped.heldout) {
      shipped.certificate = Certify(front.constraints, shipped.after.measurement()->latency,
                                    *shipped.heldout, result.heldout_reference, options.seed);
    }
  }
}

std::vector<std::string> BrokenPromises(const RetuneResult& result) {
  std::vector<std::string> broken;
  if (result.heldout_count == 0 || !result.front.chosen ||
      *result.front.chosen >= result.points.size()) {
    return broken;
  }
  const RetunedPoint& shipped = result.points[*result.front.chosen];
  if (!shipped.certificate) {
    if (!shipped.rejected) {
      broken.emplace_back("nothing can be promised of it: it cannot run on the held-out samples");
    }
    return broken;
  }
  for (const PromisedBound& bound : shipped.certificate->bounds) {
    if (!bound.holds) {
      broken.push_back(
          fmt::format("--{}={} cannot be promised: {}", bound.name, bound.asked, bound.statement));
    }
  }
  return broken;
}

}  // namespace halftone
