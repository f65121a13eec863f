#include "src/api/neighbour_strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "search/pareto_front.h"
#include "src/base/text.h"

namespace halftone {
namespace {

class NeighbourStrategy : public SearchStrategy {
 public:
  NeighbourStrategy(const SearchSpace& space, std::vector<Candidate> from,
                    const std::set<std::string>& nodes)
      : from_(from.size()) {
    for (const std::string& node : space.keepable_nodes) {
      const auto& pinned = space.pinned_keep_dtype;
      if (nodes.contains(node) && std::find(pinned.begin(), pinned.end(), node) == pinned.end()) {
        nodes_.push_back(node);
      }
    }
    for (Candidate& candidate : from) {
      Propose(std::move(candidate));
    }
  }

  std::vector<Candidate> Suggest(std::size_t max_count) override {
    if (open_.empty()) {
      ChangeFront();
    }
    std::vector<Candidate> candidates;
    while (candidates.size() < max_count && !open_.empty()) {
      candidates.push_back(std::move(open_.front()));
      open_.pop_front();
    }
    return candidates;
  }

  void Update(std::span<const Trial> finished) override {
    finished_.insert(finished_.end(), finished.begin(), finished.end());
  }

  [[nodiscard]] std::string WorkPlan() const override {
    return fmt::format("{} known, each with one of {} changed",
                       Counted(static_cast<std::int64_t>(from_), "configuration"),
                       Counted(std::ssize(nodes_), "operator"));
  }

  [[nodiscard]] std::size_t MostPlans() const override { return from_ * (1 + nodes_.size()); }

 private:
  void Propose(Candidate candidate) {
    if (std::find(proposed_.begin(), proposed_.end(), candidate) == proposed_.end()) {
      proposed_.push_back(candidate);
      open_.push_back(std::move(candidate));
    }
  }

  // Each member of the front of all that was tried with one node changed.
  void ChangeFront() {
    for (const std::size_t index : ParetoFront(finished_)) {
      for (const std::string& node : nodes_) {
        Candidate changed = finished_[index].candidate;
        auto& kept = changed.options.keep_dtype;  // sorted
        const auto at = std::lower_bound(kept.begin(), kept.end(), node);
        if (at != kept.end() && *at == node) {
          kept.erase(at);
        } else {
          kept.insert(at, node);
        }
        Propose(std::move(changed));
      }
    }
  }

  std::size_t from_;
  std::vector<std::string> nodes_;
  std::deque<Candidate> open_;
  std::vector<Candidate> proposed_;
  std::vector<Trial> finished_;
};

}  // namespace

std::unique_ptr<SearchStrategy> MakeNeighbourStrategy(const SearchSpace& space,
                                                      std::vector<Candidate> from,
                                                      const std::set<std::string>& nodes) {
  return std::make_unique<NeighbourStrategy>(space, std::move(from), nodes);
}

}  // namespace halftone
