#include "search/strategies/model_strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "search/model/acquisition.h"
#include "search/model/assignment_draws.h"
#include "search/model/plan_predictor.h"
#include "search/probe/probe_samples.h"
#include "search/space/mode_format.h"
#include "search/strategies/alternative_sets.h"
#include "search/strategies/dynamic_globals.h"
#include "search/strategies/global_points.h"
#include "search/strategies/greedy.h"
#include "search/strategies/proposal_log.h"
#include "search/strategies/scaled_globals.h"
#include "search/trial/front_quality.h"
#include "src/accuracy/discrete_outputs.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/precision/resolve/resolve.h"
#include "src/precision/write/plan_writer.h"

namespace halftone {
namespace {

// Factor between the mean loss that the search allows and a bound. With a bound on a share of the
// samples, the errors of the other samples may lift the mean beyond it by an unknown amount; 10 dB
// are tried.
double MeanBeyond(const std::optional<double>& share) {
  return share ? std::sqrt(10.0) : 1.0;
}

// Plans of the rounds before the modes with other implementations: probes and what they promise
// cost less than these, and a short budget ends before them.
constexpr std::size_t kPlansBeforeModes = 12;
// A search is short if its budget has time for fewer plans than this many times the global plans.
// It probes before it measures global plans, which are candidates like others.
constexpr double kFewPlans = 2;
// With time for fewer plans than this, float32 comes after the other global plans: as the anchor it
// is known.
constexpr double kVeryFewPlans = 4;
// Plans of a round of a short search, which must learn from each; and most plans towards a bound.
constexpr std::size_t kShortRound = 2;
constexpr std::size_t kMostTowardsGoal = 8;
constexpr std::size_t kMostMembers = 16;  // of the measured front: their neighbours are looked at
// Standard deviations by which plans are hoped to be better than predicted, in the last rounds, and
// in the first where nothing else promises any gain: the times of the probes may be those of a
// loaded machine.
constexpr double kDoubt = 3;

// Standard deviation of a latency ratio, relative to it. The interval is that of 95 %; the
// placement of buffers adds more than the protocol sees within one run.
double NoiseOf(const Latency& latency) {
  constexpr double kPlacement = 0.005;
  const double half_width = (latency.ratio_interval.high - latency.ratio_interval.low) / 2;
  return std::hypot(kPlacement, half_width / latency.ratio / 1.96);
}

// A latency known no better than this, as on a loaded machine, is nothing that others must beat:
// one that happened to be low would end the search.
constexpr double kUsableNoise = 0.1;

// Relative standard deviation between plans that map to the same assignment without being equal.
constexpr double kUnlike = 0.05;
// Relative standard deviation of losses: they are sums over the same samples in the same order,
// without noise, but errors that do not add up look like noise to a model of sums.
constexpr double kLossNoise = 0.01;

// Values of kModelOptions.
struct ModelLimits {
  std::size_t round = 0;
  std::size_t goal_plans = 0;
  std::size_t few_groups = 0;
  std::size_t small_plans = 0;
};

ModelLimits ModelLimitsOf(const StrategyValues& values) {
  const auto value = [&](std::string_view name) {
    return OptionValue(kModelOptions, values, name);
  };
  return {.round = value("round"),
          .goal_plans = value("goal_plans"),
          .few_groups = value("few_groups"),
          .small_plans = value("small_plans")};
}

class ModelStrategy : public SearchStrategy, public StrategyInsight {
 public:
  ModelStrategy(const SearchSpace& space, const StrategyNetwork& network,
                const StrategyOptions& options)
      : log_(space),
        network_(network),
        goal_(options.goal),
        goes_on_(options.goes_on),
        draws_(options.seed),
        limits_(ModelLimitsOf(options.values)),
        decisions_(*network.graph, *network.target, DecisionOptionsOf(space, *network.target)),
        predictor_(decisions_) {
    facts_.groups.assign(decisions_.groups().begin(), decisions_.groups().end());
    for (const SpacePoint& point : GlobalPoints(space)) {
      (point.impl_mode_set == 0 ? first_globals_ : later_globals_).push_back(point);
    }
    // The fast implementations first: without probes, their order is that of the proposals.
    std::ranges::stable_sort(later_globals_, std::greater(), [&](const SpacePoint& point) {
      return std::ranges::count_if(
          space.impl_mode_sets[point.impl_mode_set].by_type,
          [](const auto& line) { return line.second == ImplMode::kHighPerformance; });
    });
    other_globals_ = later_globals_.size();
    std::vector<Assignment> scaled = ScaledGlobals(decisions_);
    std::ranges::move(DynamicGlobals(decisions_), std::back_inserter(scaled));
    for (const Assignment& assignment : scaled) {
      if (auto candidate = CandidateFor(assignment)) {
        scaled_globals_.push_back(*std::move(candidate));
      }
    }
    globals_ = first_globals_.size() + scaled_globals_.size();
    is_short_ = options.affordable_plans &&
                *options.affordable_plans < kFewPlans * static_cast<double>(globals_);
    const auto float32 =
        std::ranges::find_if(first_globals_, [&](const auto& point) { return IsFloat32(point); });
    if (!is_short_ || float32 == first_globals_.end()) {
      ProposeFirstGlobals();
    } else if (*options.affordable_plans < kVeryFewPlans) {
      std::rotate(float32, float32 + 1, first_globals_.end());
    } else {
      log_.Propose(*float32);
      first_globals_.erase(float32);
    }
  }

  [[nodiscard]] std::optional<Forecast> forecast() const override {
    return Forecast{.work_plan = WorkPlan(), .most_plans = MostPlans()};
  }

  [[nodiscard]] const StrategyInsight* insight() const override { return this; }

  [[nodiscard]] const SearchInsight& facts() const override { return facts_; }

  [[nodiscard]] const Decisions& decisions() const override { return decisions_; }

  [[nodiscard]] std::vector<AlternativeSet> AlternativesTo(const Trial& trial) const override {
    return predictor_.ready() ? AlternativeSets(predictor_, decisions_,
                                                decisions_.AssignmentOf(PlanOf(trial.candidate)),
                                                ObjectivesOf(*trial.measurement()))
                              : std::vector<AlternativeSet>();
  }

  std::vector<Candidate> Suggest(std::size_t max_count) override {
    std::vector<Candidate> candidates;
    while (candidates.size() < max_count && !log_.queue_empty()) {
      candidates.push_back(log_.Take());
    }
    while (candidates.size() < max_count && !in_turns_.empty()) {
      candidates.push_back(std::move(in_turns_.front()));
      in_turns_.pop_front();
    }
    while (candidates.size() < max_count && first_globals_.empty() && !scaled_globals_.empty()) {
      candidates.push_back(std::move(scaled_globals_.front()));
      scaled_globals_.pop_front();
    }
    if (!candidates.empty()) {
      return candidates;
    }
    if (queue_.empty() && proposed_ >= kPlansBeforeModes && !later_globals_.empty()) {
      return LaterGlobals(max_count);
    }
    if (queue_.empty()) {
      NextRound();
    }
    if (without_probes_ && QueueGlobals()) {
      return Suggest(max_count);
    }
    if (queue_.empty() && !later_globals_.empty() && !without_probes_) {
      return LaterGlobals(max_count);
    }
    if (queue_.empty() && (IsSmall() || without_probes_)) {
      candidates = FromGreedy();
      if (!candidates.empty()) {
        return candidates;
      }
      if (seen_.size() < limits_.small_plans && predictor_.ready()) {
        RoundForTheFront(kDoubt, PlansOfLaterRound());
      }
    }
    if (queue_.empty() && goes_on_ && predictor_.ready()) {
      RoundOfDraws();
    }
    while (candidates.size() < max_count && !queue_.empty()) {
      candidates.push_back(queue_.front().candidate);
      proposals_.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    return candidates;
  }

  void Update(std::span<const Trial> finished) override {
    if (greedy_ != nullptr) {
      greedy_->Update(finished);
    }
    seen_.insert(seen_.end(), finished.begin(), finished.end());
    log_.Record(finished);
    for (const Trial& trial : finished) {
      if (trial.plan_digest == Hash128{}) {
        continue;
      }
      const PrecisionPlan plan = PlanOf(trial.candidate);
      const Assignment assignment = decisions_.AssignmentOf(plan);
      tried_.insert(assignment);
      if (const Measurement* measurement = trial.measurement()) {
        if (measurement->runtime && !measurement->runtime->as_asked) {
          continue;  // it tells of another plan
        }
        const double unlike = decisions_.RunsAs(plan, assignment) ? 0 : kUnlike;
        predictor_.Observe({.assignment = assignment,
                            .measured = ErrorObjectivesOf(*measurement),
                            .latency_noise = std::hypot(unlike, NoiseOf(measurement->latency)),
                            .loss_noise = std::hypot(unlike, kLossNoise)});
        AddLosses(measurement->accuracy, losses_);
        meets_goal_.push_back(!Violation(goal_, *measurement, std::nullopt));
        const auto proposal = std::ranges::find(proposals_, trial.candidate, &Proposal::candidate);
        if (proposal != proposals_.end()) {
          facts_.predictions.push_back(
              {trial.candidate, proposal->predicted, ErrorObjectivesOf(*measurement)});
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

  [[nodiscard]] PrecisionPlan PlanOf(const Candidate& candidate) const {
    return ResolvePrecision(*network_.graph, candidate.options, *network_.target);
  }

  // Queues the next global plans of a search without probes: of a short one the next of each kind,
  // as nothing says which kind gains most. False: none is left.
  bool QueueGlobals() {
    if (!is_short_) {
      ProposeFirstGlobals();
      return !log_.queue_empty();
    }
    while (in_turns_.empty() && !(first_globals_.empty() && later_globals_.empty())) {
      for (std::vector<SpacePoint>* points : {&first_globals_, &later_globals_}) {
        if (!points->empty()) {
          log_.Propose(points->front());
          points->erase(points->begin());
        }
        if (!log_.queue_empty()) {
          in_turns_.push_back(log_.Take());
        }
      }
      if (!scaled_globals_.empty()) {
        in_turns_.push_back(std::move(scaled_globals_.front()));
        scaled_globals_.pop_front();
      }
    }
    return !in_turns_.empty();
  }

  // Behind them the global plans in scaled and dynamic formats are proposed.
  void ProposeFirstGlobals() {
    for (const SpacePoint& point : std::exchange(first_globals_, {})) {
      log_.Propose(point);
    }
  }

  // The point of the plan in which everything is in float32.
  [[nodiscard]] bool IsFloat32(const SpacePoint& point) const {
    return point.impl_mode_set == 0 &&
           CandidateAt(log_.space(), point).options.precision_mode == kNothingLowered;
  }

  [[nodiscard]] bool IsSmall() const { return decisions_.groups().size() <= limits_.few_groups; }

  [[nodiscard]] std::size_t PlansOfFirstRound() const {
    return is_short_           ? kShortRound
           : limits_.round > 0 ? 2 * limits_.round
                               : FirstRound(decisions_.groups().size());
  }

  [[nodiscard]] std::size_t PlansOfLaterRound() const {
    return is_short_           ? kShortRound
           : limits_.round > 0 ? limits_.round
                               : LaterRound(decisions_.groups().size());
  }

  [[nodiscard]] std::string WorkPlan() const {
    std::size_t choices = 0;
    for (const DecisionGroup& group : facts_.groups) {
      choices += group.choices.size();
    }
    return fmt::format(
        "{} of operators with {} in all; {}, then at most {} that promise most{}{}",
        Counted(std::ssize(facts_.groups), "group"),
        Counted(static_cast<std::int64_t>(choices), "choice"),
        is_short_
            ? fmt::format("time is short, so float32, probes if they fit, and {} of the whole "
                          "network only where they promise something",
                          Counted(static_cast<std::int64_t>(globals_), "plan"))
            : fmt::format("{} of the whole network, probes of every choice on a few samples",
                          Counted(static_cast<std::int64_t>(globals_), "plan")),
        Counted(static_cast<std::int64_t>(MostProposals(facts_.groups.size())), "plan"),
        other_globals_ > 0
            ? fmt::format(" and {} of the whole network in other implementations", other_globals_)
            : "",
        (IsSmall() ? fmt::format(", then single operators one after the other and, up to {} plans, "
                                 "what may help against the odds",
                                 limits_.small_plans)
                   : "") +
            (goes_on_ ? ", then exchanges and random restarts as long as the budget lasts" : ""));
  }

  [[nodiscard]] std::size_t MostPlans() const {
    const std::size_t groups = facts_.groups.size();
    if (goes_on_ && groups > 0) {
      return kNoLimitOfPlans;
    }
    if (groups == 0) {
      return MostGreedyPlans(log_.space());
    }
    const std::size_t promising =
        MostProposals(groups) + (goal_.of_accuracy() ? limits_.goal_plans : 0);
    if (!IsSmall()) {
      return globals_ + other_globals_ + promising;
    }
    // The greedy strategy begins with the same global plans.
    return std::max(promising + MostGreedyPlans(log_.space()),
                    limits_.small_plans + PlansOfLaterRound());
  }

  // What they tell may give the rounds a gain to expect again.
  std::vector<Candidate> LaterGlobals(std::size_t max_count) {
    std::vector<SpacePoint> points = std::exchange(first_globals_, {});
    std::ranges::move(std::exchange(later_globals_, {}), std::back_inserter(points));
    for (const SpacePoint& point : ByPromise(points)) {
      log_.Propose(point);
    }
    rounds_without_gain_ = 0;
    return Suggest(max_count);
  }

  // Those that no round has proposed. The points that the model hopes most of come first, those
  // that promise nothing or that the probes refuse last.
  [[nodiscard]] std::vector<SpacePoint> ByPromise(const std::vector<SpacePoint>& points) const {
    std::vector<Prospect> prospects;
    std::vector<SpacePoint> judged;
    std::vector<SpacePoint> others;
    for (const SpacePoint& point : points) {
      const Candidate candidate = CandidateAt(log_.space(), point);
      if (std::ranges::find(seen_, candidate, &Trial::candidate) != seen_.end()) {
        continue;
      }
      const Assignment assignment = decisions_.AssignmentOf(PlanOf(candidate));
      if (!predictor_.ready() || !predictor_.Allows(assignment)) {
        others.push_back(point);
        continue;
      }
      Prospect& prospect = prospects.emplace_back(predictor_.Predict(assignment));
      prospect.hoped = prospect.HopedBy(kDoubt);
      judged.push_back(point);
    }
    std::vector<SpacePoint> ordered;
    PickForTheFront(FrontSoFar().known, prospects, prospects.size(), [&](const Prospect& prospect) {
      ordered.push_back(judged[static_cast<std::size_t>(&prospect - prospects.data())]);
      return true;
    });
    judged.insert(judged.end(), others.begin(), others.end());
    for (const SpacePoint& point : judged) {
      if (std::ranges::find(ordered, point) == ordered.end()) {
        ordered.push_back(point);
      }
    }
    return ordered;
  }

  // Proposals of the greedy strategy that were not measured before.
  std::vector<Candidate> FromGreedy() {
    if (greedy_ == nullptr) {
      greedy_ = MakeGreedyStrategy(log_.space(), {});
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
    if (decisions_.groups().empty() || !Probed()) {
      return;
    }
    for (const Assignment& assignment : std::exchange(rejected_, {})) {
      if (predictor_.Reject(assignment)) {
        facts_.sensitivity = predictor_.sensitivity();
      }
    }
    predictor_.Learn();
    if (is_short_ && WalkToTheGoal()) {
      ++proposed_;
      return;
    }
    const std::size_t most = MostProposals(decisions_.groups().size());
    if (proposed_ < most && rounds_without_gain_ < 2) {
      const std::size_t wanted = proposed_ == 0 ? PlansOfFirstRound() : PlansOfLaterRound();
      const double gain = RoundForTheFront(1, std::min(wanted, most - proposed_));
      rounds_without_gain_ = gain < kLeastGain ? rounds_without_gain_ + 1 : 0;
    }
    if (queue_.empty() && proposed_ == 0 && !IsSmall() && !std::exchange(doubted_, true)) {
      RoundForTheFront(kDoubt, PlansOfFirstRound());
    }
    if (queue_.empty() && goal_.of_accuracy()) {
      RoundForTheGoal();
    }
    proposed_ += queue_.size();
  }

  // False when the probes were stopped, as the search may be, or when there is no time for them:
  // then the greedy strategy goes on.
  bool Probed() {
    if (!predictor_.ready()) {
      facts_.sensitivity = network_.prober->Probe(decisions_, losses_);
      if (facts_.sensitivity.complete) {
        predictor_.SetSensitivity(facts_.sensitivity);
      }
      without_probes_ = !facts_.sensitivity.complete;
    }
    return predictor_.ready();
  }

  // Proposes the plans, `wanted` at most, that may add most to the area between front and float32
  // if they are `deviations` standard deviations better than predicted. Returns the gain that it
  // hopes for, as a share of the area.
  double RoundForTheFront(double deviations, std::size_t wanted) {
    MeasuredFront front = FrontSoFar();
    const double before = FrontQuality(front.known);
    std::vector<Prospect> prospects = predictor_.Promising(front.bases, IsSmall(), tried_);
    for (Prospect& prospect : prospects) {
      prospect.hoped = prospect.HopedBy(deviations);
    }
    const double quality =
        PickForTheFront(std::move(front.known), prospects, wanted,
                        [&](const Prospect& prospect) { return Propose(prospect); });
    return before > 0 ? quality / before - 1 : quality;
  }

  // The front as measured, for a round.
  struct MeasuredFront {
    std::vector<Objectives> known;  // what is dominated adds nothing
    std::vector<Assignment> bases;  // whose neighbours are looked at
  };

  [[nodiscard]] MeasuredFront FrontSoFar() const {
    MeasuredFront front;
    const std::vector<const Observation*> members = predictor_.FrontMembers();
    for (const Observation* member : members) {
      if (member->latency_noise <= kUsableNoise) {
        front.known.push_back(member->measured);
      }
    }
    const std::size_t count = std::min(members.size(), kMostMembers);
    for (std::size_t i = 0; i < count; ++i) {
      front.bases.push_back(members[i * members.size() / count]->assignment);
    }
    return front;
  }

  // Proposes what may add most to the front among neighbours of its members and assignments drawn
  // at random, and as many of these as they were drawn: the model does not know what it does not
  // expect. A round grows with what is learnt from, since that takes longer.
  void RoundOfDraws() {
    constexpr std::size_t kDraws = 16;  // for each plan of a round
    const std::size_t learnt =
        std::min(predictor_.observations().size(), PlanPredictor::kMostLearnt);
    const std::size_t wanted = std::max(PlansOfLaterRound(), learnt / kDraws);
    MeasuredFront front = FrontSoFar();
    std::vector<Prospect> drawn;
    for (const Assignment& assignment :
         draws_.Draw(front.bases, facts_.sensitivity, tried_, kDraws * wanted)) {
      if (predictor_.Trusts(assignment)) {
        drawn.push_back(predictor_.Predict(assignment));
      }
    }
    std::vector<Prospect> hopeful = predictor_.Promising(front.bases, false, tried_);
    hopeful.insert(hopeful.end(), drawn.begin(), drawn.end());
    for (Prospect& prospect : hopeful) {
      prospect.hoped = prospect.HopedBy(kDoubt);
    }
    PickForTheFront(std::move(front.known), hopeful, wanted - wanted / 2,
                    [&](const Prospect& prospect) { return Propose(prospect); });
    for (const Prospect& prospect : drawn) {
      if (queue_.size() >= wanted) {
        break;
      }
      if (!tried_.contains(prospect.assignment)) {
        Propose(prospect);
      }
    }
  }

  // The fastest measured plan that meets the goal; null: none does.
  [[nodiscard]] const Observation* FastestThatMeetsTheGoal() const {
    const Observation* fastest = nullptr;
    for (std::size_t i = 0; i < meets_goal_.size(); ++i) {
      const Observation& observation = predictor_.observations()[i];
      if (meets_goal_[i] && (fastest == nullptr || observation.measured.latency_ratio <
                                                       fastest->measured.latency_ratio)) {
        fastest = &observation;
      }
    }
    return fastest;
  }

  // The loss that the goal allows, `most_loss` at most if that is on the same scale.
  [[nodiscard]] double MostLoss(double most_loss) const {
    if (goal_.min_sqnr_db) {
      most_loss = std::min(
          most_loss, std::pow(10, -*goal_.min_sqnr_db / 20) * MeanBeyond(goal_.min_sqnr_db_share));
    }
    if (goal_.max_rel_l2) {
      most_loss = std::min(most_loss, *goal_.max_rel_l2 * MeanBeyond(goal_.max_rel_l2_share));
    }
    // A network without floating outputs has 1 - agreement as its loss.
    if (goal_.min_agreement && AllOutputsDiscrete(*network_.graph)) {
      most_loss = 1 - *goal_.min_agreement;
    }
    // The loss is the own metric, negated where more is better.
    if (goal_.min_metric || goal_.max_metric) {
      most_loss = goal_.max_metric.value_or(-goal_.min_metric.value_or(0));
    }
    return most_loss;
  }

  // Proposes the plan with the least predicted latency that is predicted to meet the bound on
  // accuracy; while no plan but float32 meets it, with one standard deviation of the loss to spare.
  // False if no such plan is predicted to be faster than those that meet it, or enough were
  // proposed.
  bool WalkToTheGoal() {
    constexpr double kBelowAMiss = 0.9;   // of the loss of a plan that did not meet the bound
    constexpr double kWorthAPlan = 0.99;  // of the latency of the fastest that meets it
    double most_loss = MostLoss(std::numeric_limits<double>::infinity());
    if (!goal_.of_accuracy() || std::isinf(most_loss) || walked_ >= kMostTowardsGoal) {
      return false;
    }
    for (std::size_t i = 0; i < meets_goal_.size(); ++i) {
      if (!meets_goal_[i]) {
        most_loss = std::min(most_loss, kBelowAMiss * predictor_.observations()[i].measured.loss);
      }
    }
    const Observation* fastest = FastestThatMeetsTheGoal();
    const double most_latency = fastest != nullptr ? fastest->measured.latency_ratio : 1;
    const bool is_met = fastest != nullptr && fastest->measured.loss > 0;
    std::vector<Prospect> within;
    for (Prospect& point : predictor_.Promising(FrontSoFar().bases, IsSmall(), tried_)) {
      const double loss = is_met ? point.predicted.loss : point.HopedBy(-1).loss;
      if (loss <= most_loss && point.predicted.latency_ratio < kWorthAPlan * most_latency) {
        within.push_back(std::move(point));
      }
    }
    std::ranges::sort(within, {}, [](const Prospect& point) {
      return std::pair(point.predicted.latency_ratio, point.predicted.loss);
    });
    ++walked_;
    return std::ranges::any_of(within, [&](const Prospect& point) { return Propose(point); });
  }

  // Proposes plans that may meet the bound on accuracy in less time than the fastest plan that
  // does, neighbours of that plan among them: when none are left, none of its operators can be
  // lowered alone, as measured or as predicted.
  void RoundForTheGoal() {
    const Observation* fastest = FastestThatMeetsTheGoal();
    if (fastest == nullptr || goal_proposals_ >= limits_.goal_plans) {
      return;
    }
    double most_loss = 0;
    for (std::size_t i = 0; i < meets_goal_.size(); ++i) {
      if (meets_goal_[i]) {
        most_loss = std::max(most_loss, predictor_.observations()[i].measured.loss);
      }
    }
    most_loss = MostLoss(most_loss);
    std::vector<Prospect> hopeful;
    for (Prospect& point : predictor_.Promising({&fastest->assignment, 1}, IsSmall(), tried_)) {
      if (point.hoped.loss <= most_loss &&
          point.hoped.latency_ratio < fastest->measured.latency_ratio) {
        hopeful.push_back(std::move(point));
      }
    }
    std::ranges::sort(hopeful, {}, [](const Prospect& point) {
      return std::pair(point.predicted.latency_ratio, point.predicted.loss);
    });
    for (const Prospect& point : hopeful) {
      if (queue_.size() == PlansOfLaterRound() || goal_proposals_ == limits_.goal_plans) {
        break;
      }
      goal_proposals_ += Propose(point) ? 1 : 0;
    }
  }

  // False when no file format can express it.
  bool Propose(const Prospect& point) {
    tried_.insert(point.assignment);
    auto candidate = CandidateFor(point.assignment);
    if (!candidate) {
      return false;
    }
    queue_.push_back({*std::move(candidate), point.predicted});
    return true;
  }

  // The option set of an assignment; empty when no file format can express it.
  [[nodiscard]] std::optional<Candidate> CandidateFor(const Assignment& assignment) const {
    try {
      return Candidate{ConfigurationFor(*network_.graph, decisions_.PlanFor(assignment),
                                        *network_.target, log_.space().modes)
                           .options};
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUnsupported) {
        throw;
      }
      return std::nullopt;
    }
  }

  ProposalLog log_;
  StrategyNetwork network_;
  Constraints goal_;
  bool without_probes_ = false;
  bool goes_on_;
  AssignmentDraws draws_;
  ModelLimits limits_;
  Decisions decisions_;
  PlanPredictor predictor_;
  std::vector<Assignment> rejected_;
  std::set<Assignment> tried_;
  std::deque<Proposal> queue_;
  std::vector<Proposal> proposals_;  // taken from the queue
  SearchInsight facts_;
  std::vector<Trial> seen_;                 // everything that came back
  std::unique_ptr<SearchStrategy> greedy_;  // of small networks, when the model has no more to say
  std::size_t globals_ = 0;                 // plans of the whole network
  std::vector<SpacePoint> first_globals_;   // those of a mode that are not proposed yet
  std::size_t other_globals_ = 0;           // the same in other implementations, which come later
  std::vector<SpacePoint> later_globals_;
  std::deque<Candidate> scaled_globals_;
  std::deque<Candidate> in_turns_;  // global plans of a short search without probes
  std::size_t proposed_ = 0;        // after the global ones
  std::size_t rounds_without_gain_ = 0;
  bool doubted_ = false;
  std::vector<double> losses_;    // by sample: sums over what was measured, where that is known
  std::vector<bool> meets_goal_;  // by observation
  std::size_t goal_proposals_ = 0;
  bool is_short_ = false;
  std::size_t walked_ = 0;  // plans towards the bound, of a short search
};

}  // namespace

DecisionOptions DecisionOptionsOf(const SearchSpace& space, const TargetSpec& target) {
  std::vector<NumericFormat> formats = FormatsToSearch(target, space.modes);
  std::erase_if(formats, [&](const NumericFormat& format) {
    return (format.has_scale() && !space.quantization) ||
           std::ranges::count(space.refused_formats, format) > 0;
  });
  return {.formats = std::move(formats),
          .pinned_keep_dtype = space.pinned_keep_dtype,
          .implementations = space.impl_mode_sets.size() > 1,
          .slow = space.slow_choices,
          .quantization = space.quantization};
}

std::size_t FirstRound(std::size_t groups) {
  return std::clamp<std::size_t>(groups / 4, 3, 12);
}

std::size_t LaterRound(std::size_t groups) {
  return std::clamp<std::size_t>(groups / 8, 2, 6);
}

std::size_t MostProposals(std::size_t groups) {
  return std::max<std::size_t>(60, 2 * groups);
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
  return std::make_unique<ModelStrategy>(space, *options.network, options);
}

}  // namespace halftone
