#include "search/strategies/proposal_log.h"

#include <algorithm>

#include "src/base/error.h"

namespace halftone {

void ProposalLog::Propose(const SpacePoint& point) {
  if (results_.try_emplace(point).second) {
    queue_.push_back(point);
  }
}

Candidate ProposalLog::Take() {
  Check(!queue_.empty(), "taking from an empty queue of candidates");
  Pending pending{queue_.front(), CandidateAt(space_, queue_.front())};
  queue_.pop_front();
  pending_.push_back(pending);
  return pending.candidate;
}

void ProposalLog::Record(std::span<const Trial> finished) {
  for (const Trial& trial : finished) {
    const auto found = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& pending) {
      return pending.candidate == trial.candidate;
    });
    if (found == pending_.end()) {
      continue;
    }
    if (const Measurement* measurement = trial.measurement()) {
      results_[found->point] = {ErrorObjectivesOf(*measurement), true,
                                !trial.low_precision_nodes.empty()};
    }
    pending_.erase(found);
  }
}

Objectives ProposalLog::At(const SpacePoint& point) const {
  const auto found = results_.find(point);
  return found == results_.end() ? kRejected : found->second.objectives;
}

bool ProposalLog::UsesLowPrecision(const SpacePoint& point) const {
  const auto found = results_.find(point);
  return found != results_.end() && found->second.low_precision;
}

std::vector<SpacePoint> ProposalLog::Front() const {
  std::vector<SpacePoint> points = Measured();
  std::stable_sort(points.begin(), points.end(), [&](const SpacePoint& a, const SpacePoint& b) {
    const Objectives left = At(a);
    const Objectives right = At(b);
    return std::pair(left.latency_ratio, left.loss) < std::pair(right.latency_ratio, right.loss);
  });
  std::vector<SpacePoint> front;
  for (const SpacePoint& point : points) {
    if (front.empty() || At(point).loss < At(front.back()).loss) {
      front.push_back(point);
    }
  }
  return front;
}

std::vector<SpacePoint> ProposalLog::Measured() const {
  std::vector<SpacePoint> points;
  for (const auto& [point, result] : results_) {
    if (result.measured) {
      points.push_back(point);
    }
  }
  return points;
}

}  // namespace halftone
