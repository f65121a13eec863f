// Log of the proposals of a strategy with their results, by point.
#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "search/space/space_point.h"
#include "search/trial/pareto_front.h"

namespace halftone {

// Objectives of a candidate that was rejected.
inline constexpr Objectives kRejected{std::numeric_limits<double>::infinity(),
                                      std::numeric_limits<double>::infinity()};

class ProposalLog {
 public:
  explicit ProposalLog(const SearchSpace& space) : space_(space) {}

  [[nodiscard]] const SearchSpace& space() const { return space_; }

  // Queues a point unless it was queued before.
  void Propose(const SpacePoint& point);

  [[nodiscard]] bool queue_empty() const { return queue_.empty(); }

  // Removes the oldest point from the queue and returns it as a candidate. The queue must not be
  // empty.
  Candidate Take();
  // Records the results of trials. Trials of candidates that Take() did not return are ignored.
  void Record(std::span<const Trial> finished);

  // Objectives of a point (ErrorObjectivesOf()); kRejected if it has no measurement.
  [[nodiscard]] Objectives At(const SpacePoint& point) const;
  // True if the plan of a measured point has nodes in a reduced format; false for a point without a
  // measurement.
  [[nodiscard]] bool UsesLowPrecision(const SpacePoint& point) const;
  // Measured points that no other point dominates, fastest first.
  [[nodiscard]] std::vector<SpacePoint> Front() const;
  // All measured points in the order of SpacePoint.
  [[nodiscard]] std::vector<SpacePoint> Measured() const;

 private:
  struct Result {
    Objectives objectives = kRejected;
    bool measured = false;
    bool low_precision = false;
  };

  struct Pending {
    SpacePoint point;
    Candidate candidate;
  };

  SearchSpace space_;
  std::map<SpacePoint, Result> results_;  // every point that was ever queued
  std::deque<SpacePoint> queue_;
  std::vector<Pending> pending_;
};

}  // namespace halftone
