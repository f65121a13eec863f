// Baseline of a search: the configuration that the user starts from. It is measured with the
// search, and the chosen point must not be worse.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "search/measure/measurer.h"
#include "search/strategies/strategy.h"
#include "search/tuner.h"

namespace halftone {

// Returns a strategy that proposes the baseline and then the candidates of `then`. Each candidate
// gets the options of the baseline that no search changes: dtypes of single operators, of inputs
// and of outputs, HF32, weight clipping and --status_check.
std::unique_ptr<SearchStrategy> BaselineFirst(const PrecisionOptions& baseline,
                                              std::unique_ptr<SearchStrategy> then);

// Confirms the baseline, unless the search has, and computes the front again. Error kUnsupported,
// with the reason, if the baseline cannot run.
Confirmed ConfirmBaseline(const TuneProblem& problem, const PrecisionOptions& baseline,
                          Measurer& measurer, const TunerHooks& hooks, Confirmed confirmed);

// Trial of the baseline; empty: the search was stopped before it.
std::optional<Trial> BaselineIn(const Confirmed& confirmed, const PrecisionOptions& baseline);

// Index of the fastest member of the front that meets the constraints and, if they have no bound on
// accuracy, is not less accurate than the baseline. `front` is sorted, fastest first. Without
// constraints there always is one: the baseline, or a member that dominates it.
std::optional<std::size_t> ChooseAgainstBaseline(std::span<const Trial> front,
                                                 const Trial& baseline,
                                                 const Constraints& constraints,
                                                 std::optional<double> reference_top1);

}  // namespace halftone
