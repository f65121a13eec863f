// The configuration that a user starts from: measured with the search, and a bound on its choice.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "search/measure/measurer.h"
#include "search/strategies/strategy.h"
#include "search/tuner.h"

namespace halftone {

// Proposes the baseline, then the candidates of `then`, each with those options of the baseline
// that a search does not change (dtypes of single operators, of inputs and outputs, overflow).
std::unique_ptr<SearchStrategy> BaselineFirst(const PrecisionOptions& baseline,
                                              std::unique_ptr<SearchStrategy> then);

// The confirmed search with the baseline confirmed too, and the front made anew. Error kUnsupported
// with the reason when the baseline cannot run.
Confirmed ConfirmBaseline(const TuneProblem& problem, const PrecisionOptions& baseline,
                          Measurer& measurer, const TunerHooks& hooks, Confirmed confirmed);

// The baseline's trial; empty when the search was stopped before it.
std::optional<Trial> BaselineIn(const Confirmed& confirmed, const PrecisionOptions& baseline);

// Index of the fastest member of the front that is not less accurate than the baseline and meets
// the constraints. The baseline itself, or what beats it, always qualifies, so the result is empty
// only with constraints. `front` is sorted, fastest first.
std::optional<std::size_t> ChooseAgainstBaseline(std::span<const Trial> front,
                                                 const Trial& baseline,
                                                 const Constraints& constraints,
                                                 std::optional<double> reference_top1);

}  // namespace halftone
