#include "src/api/tune/amct_first.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "search/trial/pareto_front.h"
#include "src/amct/layers.h"
#include "src/exec/integer_steps.h"
#include "src/precision/resolve/node_formats.h"

namespace halftone {
namespace {

constexpr std::size_t kMostRuns = 24;  // of neighbouring layers
constexpr std::size_t kMostOfFront = 8;
// Least rise of the latency ratio that is counted for a run of layers without 8 bits, so that a run
// that costs nothing does not look endlessly good.
constexpr double kLeastCost = 1e-4;

// Whether the host computes a layer as AMCT does: on integers, or, without weights, on their
// values.
bool CanPredict(const Graph& graph, const Node& node, const Quantization& quantization) {
  if (!quantization.activations.contains(graph.value(node.inputs[0]).name)) {
    return false;
  }
  if (node.op == OpKind::kAveragePool) {
    return true;
  }
  NodePrecision precision;
  precision.inputs.assign(node.inputs.size(), DType::kFloat16);
  precision.outputs.assign(node.outputs.size(), DType::kFloat16);
  ApplyFormat(graph, node, kQuantizedInFloat16, precision);
  SharedConstants constants;
  return IntegerStepOf(graph, node, precision, quantization, constants).has_value();
}

class AmctStrategy : public SearchStrategy {
 public:
  AmctStrategy(const TuneProblem& problem, std::unique_ptr<SearchStrategy> then)
      : space_(problem.space), then_(std::move(then)) {
    for (const NodeId id : AmctLayers(problem.graph)) {
      const Node& node = problem.graph.node(id);
      if (CanPredict(problem.graph, node, *space_.quantization)) {
        layers_.push_back(node.name);
      }
    }
    for (std::size_t mode = 0; mode < space_.modes.size() && !layers_.empty(); ++mode) {
      queue_.push_back({mode, {}});
    }
  }

  std::vector<Candidate> Suggest(std::size_t max_count) override {
    own_turn_ = !own_turn_;
    if (!own_turn_) {
      if (auto candidates = then_->Suggest(max_count); !candidates.empty()) {
        return candidates;
      }
    }
    if (std::vector<Candidate> own = Own(max_count); !own.empty()) {
      return own;
    }
    return own_turn_ ? then_->Suggest(max_count) : std::vector<Candidate>();
  }

  [[nodiscard]] std::optional<Forecast> forecast() const override {
    std::optional<Forecast> both = then_->forecast();
    if (both) {
      both->work_plan = fmt::format("8-bit layers of AMCT in turn with {}", both->work_plan);
      if (both->most_plans != kNoLimitOfPlans) {
        both->most_plans += space_.modes.size() + 2 * kMostRuns + kMostOfFront;
      }
    }
    return both;
  }

  void Update(std::span<const Trial> finished) override {
    std::vector<Trial> others;
    for (const Trial& trial : finished) {
      const auto own = std::ranges::find_if(
          open_, [&](const auto& entry) { return entry.second == trial.candidate; });
      if (own == open_.end()) {
        others.push_back(trial);
        continue;
      }
      const Measurement* measurement = trial.measurement();
      done_.push_back({own->first, measurement == nullptr
                                       ? std::nullopt
                                       : std::optional(ObjectivesOf(*measurement))});
      open_.erase(own);
    }
    if (!others.empty()) {
      others_.insert(others_.end(), others.begin(), others.end());
      then_->Update(others);
    }
    if (queue_.empty() && open_.empty()) {
      NextStage();
    }
  }

  [[nodiscard]] const StrategyInsight* insight() const override { return then_->insight(); }

 private:
  // All layers in 8 bits but those of some runs, ascending.
  struct Skip {
    std::size_t mode = 0;
    std::vector<std::size_t> runs;
    std::optional<Candidate> with = std::nullopt;  // in place of the mode
    std::vector<std::string> in_float32 = {};      // layers of `with` that stay as they are
  };

  struct Result {
    Skip skip;
    std::optional<Objectives> objectives;  // empty: rejected
  };

  enum class Stage : std::uint8_t { kModes, kRuns, kSets, kFront, kDone };

  std::vector<Candidate> Own(std::size_t max_count) {
    std::vector<Candidate> candidates;
    while (candidates.size() < max_count && !queue_.empty()) {
      const Skip skip = std::move(queue_.front());
      queue_.pop_front();
      candidates.push_back(CandidateOf(skip));
      open_.emplace_back(skip, candidates.back());
    }
    return candidates;
  }

  [[nodiscard]] std::size_t RunCount() const { return std::min(layers_.size(), kMostRuns); }

  [[nodiscard]] Candidate CandidateOf(const Skip& skip) const {
    Candidate candidate;
    if (skip.with) {
      candidate = *skip.with;
    } else {
      candidate.options.precision_mode = space_.modes[skip.mode];
      candidate.options.keep_dtype = space_.pinned_keep_dtype;
    }
    candidate.options.quantization = space_.quantization;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const std::size_t run = i * RunCount() / layers_.size();
      const auto has = [&](const std::vector<std::string>& names) {
        return std::ranges::find(names, layers_[i]) != names.end();
      };
      if (!has(space_.pinned_keep_dtype) && !has(skip.in_float32) &&
          std::ranges::find(skip.runs, run) == skip.runs.end()) {
        candidate.options.node_formats.emplace(layers_[i], kQuantizedInFloat16);
      }
    }
    return candidate;
  }

  void NextStage() {
    if (stage_ == Stage::kModes) {
      stage_ = Stage::kRuns;
      QueueRuns();
    } else if (stage_ == Stage::kRuns) {
      stage_ = Stage::kSets;
      QueueSets();
    } else if (stage_ == Stage::kSets) {
      stage_ = Stage::kFront;
      QueueFront();
    } else {
      stage_ = Stage::kDone;
    }
  }

  // The fastest trial with all layers in 8 bits; null: ATC refuses them, or they do not run.
  [[nodiscard]] const Result* Base() const {
    const Result* best = nullptr;
    for (const Result& result : done_) {
      if (result.objectives && result.skip.runs.empty() && !result.skip.with &&
          (best == nullptr || std::pair(result.objectives->latency_ratio, Loss(result)) <
                                  std::pair(best->objectives->latency_ratio, Loss(*best)))) {
        best = &result;
      }
    }
    return best;
  }

  static double Loss(const Result& result) {
    const double loss = result.objectives->loss;
    return std::isfinite(loss) ? loss : std::numeric_limits<double>::max();
  }

  void QueueRuns() {
    const Result* base = Base();
    for (std::size_t run = 0; base != nullptr && run < RunCount() && RunCount() > 1; ++run) {
      queue_.push_back({base->skip.mode, {run}});
    }
  }

  // Runs by the loss that leaving them out saves for its time; sets of the first 2, 3, 4, 6, 8, ...
  void QueueSets() {
    const Result* base = Base();
    if (base == nullptr) {
      return;
    }
    std::vector<std::pair<double, std::size_t>> gains;
    for (const Result& result : done_) {
      if (result.objectives && result.skip.runs.size() == 1) {
        const double cost = std::max(
            kLeastCost, result.objectives->latency_ratio - base->objectives->latency_ratio);
        gains.emplace_back((Loss(*base) - Loss(result)) / cost, result.skip.runs[0]);
      }
    }
    std::ranges::sort(gains, [](const auto& a, const auto& b) {
      return std::pair(-a.first, a.second) < std::pair(-b.first, b.second);
    });
    for (std::size_t size = 2; size < gains.size(); size += std::max<std::size_t>(1, size / 2)) {
      Skip skip{.mode = base->skip.mode, .runs = {}};
      for (std::size_t i = 0; i < size; ++i) {
        skip.runs.push_back(gains[i].second);
      }
      std::ranges::sort(skip.runs);
      queue_.push_back(std::move(skip));
    }
  }

  void QueueFront() {
    for (const std::size_t index : DistinctFront(others_)) {  // fastest first
      const PrecisionOptions& options = others_[index].candidate.options;
      if (queue_.size() < kMostOfFront && options.node_formats.empty() &&
          options.impl_mode_by_node.empty() && options.impl_mode_by_type.empty()) {
        queue_.push_back({.mode = 0,
                          .runs = {},
                          .with = others_[index].candidate,
                          .in_float32 = others_[index].kept_nodes});
      }
    }
  }

  const SearchSpace& space_;
  std::unique_ptr<SearchStrategy> then_;
  std::vector<Trial> others_;  // of `then_`
  std::vector<std::string> layers_;
  bool own_turn_ = false;
  Stage stage_ = Stage::kModes;
  std::deque<Skip> queue_;
  std::vector<std::pair<Skip, Candidate>> open_;  // proposed, not finished
  std::vector<Result> done_;
};

}  // namespace

std::unique_ptr<SearchStrategy> WithAmctLayers(const TuneProblem& problem,
                                               std::unique_ptr<SearchStrategy> then) {
  if (!IsAmctTarget(problem.target) || !problem.space.quantization) {
    return then;
  }
  return std::make_unique<AmctStrategy>(problem, std::move(then));
}

}  // namespace halftone
