#include "src/api/tune/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "search/confirm_front.h"
#include "search/trial/pareto_front.h"
#include "src/base/error.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

// Copies what a search does not decide.
void CopyFixedOptions(const PrecisionOptions& from, PrecisionOptions& to) {
  to.customize_dtypes = from.customize_dtypes;
  to.allow_hf32 = from.allow_hf32;
  to.output_type = from.output_type;
  to.input_fp16_nodes = from.input_fp16_nodes;
  to.is_weight_clip = from.is_weight_clip;
  to.status_check = from.status_check;
  to.graph_run_mode = from.graph_run_mode;
}

template <typename Trials>
auto FindBaseline(Trials& trials, const PrecisionOptions& baseline) {
  return std::find_if(trials.begin(), trials.end(),
                      [&](const Trial& trial) { return trial.candidate == Candidate{baseline}; });
}

class BaselineFirstStrategy : public SearchStrategy {
 public:
  BaselineFirstStrategy(const PrecisionOptions& baseline, std::unique_ptr<SearchStrategy> then)
      : baseline_(baseline), then_(std::move(then)) {}

  std::vector<Candidate> Suggest(std::size_t max_count) override {
    if (!std::exchange(proposed_, true)) {
      return {Candidate{baseline_}};
    }
    std::vector<Candidate> candidates = then_->Suggest(max_count);
    for (Candidate& candidate : candidates) {
      own_.push_back(candidate);
      CopyFixedOptions(baseline_, candidate.options);
      sent_.push_back(candidate);
    }
    return candidates;
  }

  [[nodiscard]] std::optional<Forecast> forecast() const override {
    std::optional<Forecast> both = then_->forecast();
    if (both) {
      both->work_plan = "the configuration to start from, then " + both->work_plan;
      ++both->most_plans;
    }
    return both;
  }

  // `then` gets its own candidates back.
  void Update(std::span<const Trial> finished) override {
    std::vector<Trial> trials;
    for (const Trial& trial : finished) {
      const auto sent = std::find(sent_.begin(), sent_.end(), trial.candidate);
      if (sent != sent_.end()) {
        trials.push_back(trial);
        trials.back().candidate = own_[static_cast<std::size_t>(sent - sent_.begin())];
      }
    }
    own_.clear();
    sent_.clear();
    if (!trials.empty()) {
      then_->Update(trials);
    }
  }

 private:
  PrecisionOptions baseline_;
  std::unique_ptr<SearchStrategy> then_;
  bool proposed_ = false;
  std::vector<Candidate> own_;   // of `then_`, since the last Update()
  std::vector<Candidate> sent_;  // the same as proposed
};

}  // namespace

std::unique_ptr<SearchStrategy> BaselineFirst(const PrecisionOptions& baseline,
                                              std::unique_ptr<SearchStrategy> then) {
  return std::make_unique<BaselineFirstStrategy>(baseline, std::move(then));
}

Confirmed ConfirmBaseline(const TuneProblem& problem, const PrecisionOptions& baseline,
                          Measurer& measurer, const TunerHooks& hooks, Confirmed confirmed) {
  const auto found = FindBaseline(confirmed.trials, baseline);
  if (found == confirmed.trials.end()) {
    return confirmed;
  }
  const bool stopped = hooks.stop_requested && hooks.stop_requested();
  if (const Measurement* measurement = found->measurement();
      measurement != nullptr && !measurement->confirmed && !stopped) {
    Confirm(problem, measurer, *found);
    if (hooks.on_trial) {
      hooks.on_trial(*found);
    }
    confirmed.front = ProvenFront(confirmed.trials);
  }
  if (const Rejection* rejection = found->rejection()) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("the configuration to start from ({}) cannot run: {}; choose another "
                    "--precision_mode",
                    Summary(found->candidate, VocabularyOf(problem.target)), rejection->reason));
  }
  return confirmed;
}

std::optional<Trial> BaselineIn(const Confirmed& confirmed, const PrecisionOptions& baseline) {
  const auto found = FindBaseline(confirmed.trials, baseline);
  return found == confirmed.trials.end() ? std::nullopt : std::optional(*found);
}

std::optional<std::size_t> ChooseAgainstBaseline(std::span<const Trial> front,
                                                 const Trial& baseline,
                                                 const Constraints& constraints,
                                                 std::optional<double> reference_top1) {
  const double loss = ObjectivesOf(*baseline.measurement()).loss;
  const bool bounded = constraints.of_accuracy();
  for (std::size_t i = 0; i < front.size(); ++i) {
    const Measurement* measurement = front[i].measurement();
    if (measurement != nullptr && !Violation(constraints, *measurement, reference_top1) &&
        (bounded || ObjectivesOf(*measurement).loss <= loss)) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace halftone
