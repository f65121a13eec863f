// Calibration of a tuning run: the scales of its 8-bit operators.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "search/calibrate/calibrate.h"
#include "search/operators/format_times.h"
#include "src/api/tune/prepare.h"

namespace halftone {

// Products in 8 bits are not searched, unless asked for, where they take longer than this many
// times the fastest other format. Above 1, so that the noise of the profile does not decide;
// chosen, not measured.
inline constexpr double kSlowScaledRatio = 1.1;

// Share of a budget in time that calibration takes at most.
inline constexpr double kCalibrationShare = 0.2;

// The mode of this run: whether operators may compute in 8 bits. `speed`, of the machine profile,
// decides where the options say nothing; empty: it is not known. Error kUsage: the target has no
// such operators, but the options ask for them.
QuantizeMode QuantizeModeFor(const TuneOptions& options, const TargetSpec& target,
                             const Dataset& samples, const std::optional<ScaledSpeed>& speed);

// Reason why the default is off on this machine, one sentence.
std::string SlowScaledNote(const ScaledSpeed& speed);

// Sets the quantisation of the space, and its modes where 16 bits are left out. Samples that are
// set aside are removed from those of the search. Adds warnings. Errors as LoadSamples(),
// CalibrationCandidates().
void PrepareQuantization(const TuneCallbacks& callbacks, TimeBudget& budget, Prepared& prepared);

// The record of the scales for reports, with the bias shifts of the described point if that has its
// own; null: nothing is quantised.
std::shared_ptr<const CalibrationRecord> CalibrationAt(const Prepared& prepared,
                                                       const TunedFront& front);

}  // namespace halftone
