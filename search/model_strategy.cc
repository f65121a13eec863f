#include "search/model_strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "search/additive_model.h"
#include "search/front_quality.h"
#include "search/global_points.h"
#include "search/greedy.h"
#include "search/ledger.h"
#include "search/low_dtype.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/precision/plan_writer.h"
#include "src/precision/resolve.h"

namespace halftone {
namespace {

constexpr std::size_t kMostFrontPoints = 1000;
constexpr std::size_t kMostMembers = 16;  // of the measured front: their neighbours are looked at

// What is hoped for before anything was predicted.
constexpr double kFirstDecibels = 1;
constexpr double kMostLatency = 0.01;

DecisionOptions DecisionOptionsOf(const SearchSpace& space) {
  DecisionOptions options{.dtypes = {}, .pinned_keep_dtype = space.pinned_keep_dtype};
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    if (std::ranges::any_of(space.modes,
                            [&](const std::string& mode) { return LowDTypeOf(mode) == dtype; })) {
      options.dtypes.push_back(dtype);
    }
  }
  return options;
}

// Of the ratio, relative: the interval is that of 95 %, and what buffers at other places make is
// more than the protocol sees within one run.
double NoiseOf(const Latency& latency) {
  constexpr double kPlacement = 0.01;
  const double half_width = (latency.ratio_interval.high - latency.ratio_interval.low) / 2;
  return std::hypot(kPlacement, half_width / latency.ratio / 1.96);
}

class ModelStrategy : public SearchStrategy {
 public:
  ModelStrategy(const SearchSpace& space, const StrategyNetwork& network)
      : ledger_(space),
        network_(network),
        decisions_(*network.graph, *network.target, DecisionOptionsOf(space)) {
    insight_.groups.assign(decisions_.groups().begin(), decisions_.groups().end());
    for (const Point& point : GlobalPoints(space)) {
      ledger_.Propose(point);
      ++globals_;
    }
  }

  [[nodiscard]] std::string WorkPlan() const override {
    std::size_t choices = 0;
    for (const DecisionGroup& group : insight_.groups) {
      choices += group.choices.size();
    }
    return fmt::format(
        "{} of operators with {} in all; {}, probes of every choice on a few samples, then at most "
        "{} that promise most{}",
        Counted(std::ssize(insight_.groups), "group"),
        Counted(static_cast<std::int64_t>(choices), "choice"),
        Counted(static_cast<std::int64_t>(globals_), "plan") + " of the whole network",
        Counted(static_cast<std::int64_t>(MostProposals(insight_.groups.size())), "plan"),
        IsSmall() ? ", then single operators one after the other" : "");
  }

  [[nodiscard]] std::size_t MostPlans() const override {
    if (insight_.groups.empty()) {
      return globals_;
    }
    // The greedy strategy probes and keeps each operator on a few bases.
    return globals_ + MostProposals(insight_.groups.size()) +
           (IsSmall() ? kMaxBases * insight_.groups.size() : 0);
  }

  [[nodiscard]] const SearchInsight* insight() const override { return &insight_; }

  std::vector<Candidate> Suggest(std::size_t max_count) override {
    std::vector<Candidate> candidates;
    while (candidates.size() < max_count && !ledger_.queue_empty()) {
      candidates.push_back(ledger_.Take());
    }
    if (!candidates.empty()) {
      return candidates;
    }
    if (queue_.empty()) {
      NextRound();
    }
    while (candidates.size() < max_count && !queue_.empty()) {
      candidates.push_back(queue_.front().candidate);
      proposals_.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    return candidates.empty() && IsSmall() ? FromGreedy() : candidates;
  }

  void Update(std::span<const Trial> finished) override {
    if (greedy_ != nullptr) {
      greedy_->Update(finished);
    }
    seen_.insert(seen_.end(), finished.begin(), finished.end());
    ledger_.Record(finished);
    for (const Trial& trial : finished) {
      if (trial.plan_digest == Hash128{}) {
        continue;
      }
      const Assignment assignment = decisions_.AssignmentOf(
          ResolvePrecision(*network_.graph, trial.candidate.options, *network_.target));
      tried_.insert(assignment);
      if (const Measurement* measurement = trial.measurement()) {
        observations_.push_back(
            {assignment, ObjectivesOf(*measurement), NoiseOf(measurement->latency)});
        const auto proposal = std::ranges::find(proposals_, trial.candidate, &Proposal::candidate);
        if (proposal != proposals_.end()) {
          insight_.predictions.push_back(
              {trial.candidate, proposal->predicted, ObjectivesOf(*measurement)});
        }
      } else {
        rejected_.push_back(assignment);
      }
    }
  }

 private:
  struct Proposal {
    Candidate candidate;
    Objectives predicted;
  };

  [[nodiscard]] bool IsSmall() const { return decisions_.groups().size() <= kFewGroups; }

  // What the greedy strategy proposes and was not measured before.
  std::vector<Candidate> FromGreedy() {
    if (greedy_ == nullptr) {
      greedy_ = MakeGreedyStrategy(ledger_.space(), {});
    }
    while (true) {
      std::vector<Candidate> candidates = greedy_->Suggest(1);
      if (candidates.empty()) {
        return candidates;
      }
      const auto known = std::ranges::find(seen_, candidates.front(), &Trial::candidate);
      if (known == seen_.end()) {
        return candidates;
      }
      greedy_->Update({&*known, 1});
    }
  }

  void NextRound() {
    if (decisions_.groups().empty() || proposed_ >= MostProposals(decisions_.groups().size()) ||
        rounds_without_gain_ >= 2) {
      return;
    }
    const bool first = !model_;
    if (first) {
      insight_.sensitivity = network_.prober->Probe(decisions_);
      if (!insight_.sensitivity.complete) {
        return;  // stopped, and so will be the search
      }
      model_.emplace(decisions_, insight_.sensitivity);
    }
    AvoidRejected();
    model_->Fit(observations_);
    LearnHowFarOff();
    const std::vector<const Observation*> members = FrontMembers();
    std::vector<Objectives> known;  // what is dominated adds nothing
    for (const Observation* member : members) {
      known.push_back(member->measured);
    }
    const std::vector<PredictedPoint> front = Promising(members);
    const double before = FrontQuality(known);
    double quality = before;
    const std::size_t wanted = std::min(first ? kFirstRound : kRound,
                                        MostProposals(decisions_.groups().size()) - proposed_);
    while (queue_.size() < wanted) {
      const PredictedPoint* best = nullptr;
      double best_quality = quality;
      for (const PredictedPoint& point : front) {
        if (tried_.contains(point.assignment)) {
          continue;
        }
        known.push_back(Hoped(point.predicted));
        const double with = FrontQuality(known);
        known.pop_back();
        if (with > best_quality) {
          best_quality = with;
          best = &point;
        }
      }
      if (best == nullptr) {
        break;
      }
      tried_.insert(best->assignment);
      if (auto candidate = CandidateFor(best->assignment)) {
        queue_.push_back({*std::move(candidate), best->predicted});
        known.push_back(Hoped(best->predicted));
        quality = best_quality;
      }
    }
    proposed_ += queue_.size();
    rounds_without_gain_ = quality - before < kLeastGain * before ? rounds_without_gain_ + 1 : 0;
  }

  [[nodiscard]] std::vector<const Observation*> FrontMembers() const {
    std::vector<const Observation*> members;
    for (const Observation& observation : observations_) {
      if (std::ranges::none_of(observations_, [&](const Observation& other) {
            return Dominates(other.measured, observation.measured);
          })) {
        members.push_back(&observation);
      }
    }
    return members;
  }

  // The model's own front, and what differs in one group from members of the measured one; each
  // predicted from the measured plan that is nearest to it, if any was measured.
  [[nodiscard]] std::vector<PredictedPoint> Promising(
      std::span<const Observation* const> members) const {
    std::set<Assignment> assignments;
    for (PredictedPoint& point : model_->Front(kMostFrontPoints)) {
      assignments.insert(std::move(point.assignment));
    }
    const std::size_t count = std::min(members.size(), kMostMembers);
    for (std::size_t i = 0; i < count; ++i) {
      for (Assignment& neighbour :
           model_->NeighboursOf(members[i * members.size() / count]->assignment)) {
        assignments.insert(std::move(neighbour));
      }
    }
    std::vector<PredictedPoint> points;
    for (const Assignment& assignment : assignments) {
      if (!tried_.contains(assignment)) {
        points.push_back(
            {assignment, observations_.empty()
                             ? model_->Predict(assignment)
                             : model_->PredictFrom(NearestTo(assignment), assignment)});
      }
    }
    return points;
  }

  [[nodiscard]] const Observation& NearestTo(const Assignment& assignment) const {
    const auto distance = [&](const Observation& observation) {
      std::size_t differences = 0;
      for (std::size_t g = 0; g < assignment.size(); ++g) {
        differences += assignment[g] != observation.assignment[g] ? 1 : 0;
      }
      return differences;
    };
    return *std::ranges::min_element(observations_, {}, distance);
  }

  // As good as it may be when the prediction is off as the others were: what is sure to gain
  // nothing is not measured, what may gain is.
  [[nodiscard]] Objectives Hoped(const Objectives& predicted) const {
    return {predicted.latency_ratio * (1 - latency_off_),
            predicted.loss * std::pow(10, -decibels_off_ / 20)};
  }

  void LearnHowFarOff() {
    const PredictionErrors off = PredictionErrorsOf(insight_);
    const bool any = !insight_.predictions.empty();
    decibels_off_ = any ? off.decibels : kFirstDecibels;
    latency_off_ = any ? std::min(kMostLatency, off.latency / 2) : kMostLatency / 2;
  }

  // The option set of an assignment; empty when no file format can express it.
  [[nodiscard]] std::optional<Candidate> CandidateFor(const Assignment& assignment) const {
    try {
      return Candidate{ConfigurationFor(*network_.graph, decisions_.PlanFor(assignment),
                                        *network_.target, ledger_.space().modes)
                           .options};
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUnsupported) {
        throw;
      }
      return std::nullopt;
    }
  }

  // A value that the probes' samples did not show left the range of float16: most likely where
  // values are the largest.
  void AvoidRejected() {
    Sensitivity sensitivity = model_->sensitivity();
    bool changed = false;
    for (const Assignment& assignment : std::exchange(rejected_, {})) {
      std::optional<std::size_t> suspect;
      for (std::size_t g = 0; g < assignment.size(); ++g) {
        const bool in_float16 =
            decisions_.groups()[g].choices[assignment[g]].dtype == DType::kFloat16;
        if (in_float16 && sensitivity.groups[g].choices[assignment[g]].refusal.empty() &&
            (!suspect ||
             sensitivity.groups[g].largest_value > sensitivity.groups[*suspect].largest_value)) {
          suspect = g;
        }
      }
      // One that holds a choice refused before says nothing new.
      if (!suspect || !model_->Allows(assignment)) {
        continue;
      }
      for (std::size_t c = 0; c < sensitivity.groups[*suspect].choices.size(); ++c) {
        if (decisions_.groups()[*suspect].choices[c].dtype == DType::kFloat16) {
          sensitivity.groups[*suspect].choices[c].refusal =
              "a plan with it was rejected, and its values are the largest";
          sensitivity.groups[*suspect].choices[c].not_finite = true;
          changed = true;
        }
      }
    }
    if (changed) {
      insight_.sensitivity = sensitivity;
      model_.emplace(decisions_, std::move(sensitivity));
    }
  }

  Ledger ledger_;
  StrategyNetwork network_;
  Decisions decisions_;
  std::optional<AdditiveModel> model_;
  std::vector<Observation> observations_;
  std::vector<Assignment> rejected_;
  std::set<Assignment> tried_;
  std::deque<Proposal> queue_;
  std::vector<Proposal> proposals_;  // taken from the queue
  SearchInsight insight_;
  std::vector<Trial> seen_;                 // everything that came back
  std::unique_ptr<SearchStrategy> greedy_;  // of small networks, when the model has no more to say
  double decibels_off_ = 0;                 // medians of how far predictions were off
  double latency_off_ = 0;
  std::size_t globals_ = 0;
  std::size_t proposed_ = 0;  // after the global ones
  std::size_t rounds_without_gain_ = 0;
};

}  // namespace

std::size_t MostProposals(std::size_t groups) {
  return groups <= kFewGroups ? 30 : std::max<std::size_t>(60, 2 * groups);
}

std::unique_ptr<SearchStrategy> MakeModelStrategy(const SearchSpace& space,
                                                  const StrategyOptions& options) {
  if (!options.network) {
    std::vector<std::string> others;
    for (const StrategyRow& row : AllStrategies()) {
      if (!row.needs_network) {
        others.emplace_back(row.name);
      }
    }
    throw Error(ErrorKind::kUsage,
                fmt::format("the strategy 'model' needs a network to probe, and has only the space "
                            "of candidates: use one of {}",
                            Join(others, ", ")));
  }
  return std::make_unique<ModelStrategy>(space, *options.network);
}

}  // namespace halftone
