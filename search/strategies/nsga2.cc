#include "search/strategies/nsga2.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <pagmo/utils/genetic_operators.hpp>
#include <pagmo/utils/multi_objective.hpp>
#include <set>
#include <utility>

#include "search/strategies/global_points.h"
#include "search/strategies/proposal_log.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

constexpr double kCrossover = 0.95;  // pagmo's defaults, as are the two indices
constexpr double kCrossoverIndex = 10;
constexpr double kMutationIndex = 50;
constexpr double kRejectedFitness = 1e10;  // pagmo sorts finite numbers

using Genome = pagmo::vector_double;
using Bounds = std::pair<Genome, Genome>;

class Nsga2Strategy : public SearchStrategy {
 public:
  Nsga2Strategy(const SearchSpace& space, const StrategyOptions& options)
      : log_(space),
        plans_a_generation_(OptionValue(kNsga2Options, options.values, "population")),
        most_repeats_(OptionValue(kNsga2Options, options.values, "repeats")),
        rng_(options.seed),
        engine_(static_cast<std::mt19937::result_type>(options.seed)) {
    if (space.modes.empty() || space.impl_mode_sets.empty()) {
      return;
    }
    const std::size_t genes = 2 + space.keepable_nodes.size();
    bounds_ = {Genome(genes, 0), Genome(genes, 1)};
    bounds_.second[0] = static_cast<double>(space.modes.size() - 1);
    bounds_.second[1] = static_cast<double>(space.impl_mode_sets.size() - 1);
    for (const SpacePoint& point : GlobalPoints(space)) {
      ProposeNew(GenomeOf(point));
    }
    for (std::size_t repeats = 0; repeats < most_repeats_ && children_.size() < plans_a_generation_;
         ++repeats) {
      repeats = ProposeNew(Drawn()) ? 0 : repeats;
    }
  }

  std::vector<Candidate> Suggest(std::size_t max_count) override {
    if (log_.queue_empty()) {
      NextGeneration();
    }
    std::vector<Candidate> candidates;
    while (candidates.size() < max_count && !log_.queue_empty()) {
      candidates.push_back(log_.Take());
    }
    return candidates;
  }

  void Update(std::span<const Trial> finished) override { log_.Record(finished); }

  [[nodiscard]] std::optional<Forecast> forecast() const override {
    return Forecast{
        .work_plan = fmt::format("generations of {} plans, each from the best of those before",
                                 plans_a_generation_),
        .most_plans = log_.space().size()};
  }

 private:
  [[nodiscard]] static Genome GenomeOf(const SpacePoint& point, std::size_t genes) {
    Genome genome(genes, 0);
    genome[0] = static_cast<double>(point.mode);
    genome[1] = static_cast<double>(point.impl_mode_set);
    for (const std::size_t node : point.kept) {
      genome[2 + node] = 1;
    }
    return genome;
  }

  [[nodiscard]] Genome GenomeOf(const SpacePoint& point) const {
    return GenomeOf(point, bounds_.first.size());
  }

  [[nodiscard]] static SpacePoint PointOf(const Genome& genome) {
    SpacePoint point;
    point.mode = static_cast<std::size_t>(genome[0]);
    point.impl_mode_set = static_cast<std::size_t>(genome[1]);
    for (std::size_t i = 2; i < genome.size(); ++i) {
      if (genome[i] > 0.5) {
        point.kept.push_back(i - 2);
      }
    }
    return point;
  }

  Genome Drawn() {
    Genome genome;
    for (const double most : bounds_.second) {
      genome.push_back(static_cast<double>(rng_.Below(static_cast<std::size_t>(most) + 1)));
    }
    return genome;
  }

  bool ProposeNew(const Genome& genome) {
    SpacePoint point = PointOf(genome);
    if (!proposed_.insert(point).second) {
      return false;
    }
    log_.Propose(point);
    children_.push_back(genome);
    return true;
  }

  [[nodiscard]] pagmo::vector_double FitnessOf(const Genome& genome) const {
    const Objectives objectives = log_.At(PointOf(genome));
    return std::isfinite(objectives.loss)
               ? pagmo::vector_double{objectives.latency_ratio, objectives.loss}
               : pagmo::vector_double{kRejectedFitness, kRejectedFitness};
  }

  // Selects the survivors of a population, then makes their children.
  void NextGeneration() {
    if (children_.empty()) {
      return;
    }
    population_.insert(population_.end(), children_.begin(), children_.end());
    children_.clear();
    std::vector<pagmo::vector_double> fitness;
    for (const Genome& genome : population_) {
      fitness.push_back(FitnessOf(genome));
    }
    if (population_.size() > plans_a_generation_) {
      std::vector<Genome> best;
      std::vector<pagmo::vector_double> best_fitness;
      for (const auto i : pagmo::select_best_N_mo(fitness, plans_a_generation_)) {
        best.push_back(population_[i]);
        best_fitness.push_back(fitness[i]);
      }
      population_ = std::move(best);
      fitness = std::move(best_fitness);
    }
    if (population_.size() < 2) {
      return;
    }
    Rank(fitness);
    for (std::size_t repeats = 0; repeats < most_repeats_ && children_.size() < plans_a_generation_;
         ++repeats) {
      const Genome& first = population_[Winner()];
      const Genome& second = population_[Winner()];
      auto [one, other] = pagmo::sbx_crossover(first, second, bounds_, first.size(), kCrossover,
                                               kCrossoverIndex, engine_);
      for (Genome* child : {&one, &other}) {
        pagmo::polynomial_mutation(*child, bounds_, child->size(),
                                   1 / static_cast<double>(child->size()), kMutationIndex, engine_);
        repeats = ProposeNew(*child) ? 0 : repeats;
      }
    }
  }

  void Rank(const std::vector<pagmo::vector_double>& fitness) {
    const auto fronts = std::get<0>(pagmo::fast_non_dominated_sorting(fitness));
    rank_.assign(population_.size(), 0);
    crowding_.assign(population_.size(), std::numeric_limits<double>::infinity());
    for (std::size_t f = 0; f < fronts.size(); ++f) {
      std::vector<pagmo::vector_double> members;
      for (const auto i : fronts[f]) {
        rank_[i] = f;
        members.push_back(fitness[i]);
      }
      if (members.size() > 1) {
        const std::vector<double> distances = pagmo::crowding_distance(members);
        for (std::size_t i = 0; i < members.size(); ++i) {
          crowding_[fronts[f][i]] = distances[i];
        }
      }
    }
  }

  // Winner of a tournament of two.
  std::size_t Winner() {
    const std::size_t a = rng_.Below(population_.size());
    const std::size_t b = rng_.Below(population_.size());
    if (rank_[a] != rank_[b]) {
      return rank_[a] < rank_[b] ? a : b;
    }
    return crowding_[a] >= crowding_[b] ? a : b;
  }

  ProposalLog log_;
  std::size_t plans_a_generation_;
  std::size_t most_repeats_;
  Rng rng_;
  std::mt19937 engine_;  // what pagmo's operators take
  Bounds bounds_;
  std::set<SpacePoint> proposed_;
  std::vector<Genome> population_;
  std::vector<Genome> children_;  // proposed, not yet part of the population
  std::vector<std::size_t> rank_;
  std::vector<double> crowding_;
};

}  // namespace

std::unique_ptr<SearchStrategy> MakeNsga2Strategy(const SearchSpace& space,
                                                  const StrategyOptions& options) {
  return std::make_unique<Nsga2Strategy>(space, options);
}

}  // namespace halftone
