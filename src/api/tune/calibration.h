// Calibration of a tuning run: the scales of its 8-bit operators.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/calibrate/calibrate.h"
#include "search/operators/format_times.h"
#include "src/api/tune/bank_session.h"
#include "src/api/tune/network_at_shapes.h"
#include "src/api/tune/search_samples.h"
#include "src/base/time_budget.h"
#include "src/exec/executable.h"
#include "src/quantization/calibration_record.h"
#include "src/report/tune_summary.h"

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

// Scales of the 8-bit operators of a run; without a quantisation, 8 bits are not searched.
struct Scales {
  SharedQuantization quantization;
  // Record of the scales, for reports; null: nothing is quantised.
  std::shared_ptr<const CalibrationRecord> record = nullptr;
  // Samples that AMCT gets beside the points; empty: it quantises no layer.
  Dataset calibration_samples = {};
  // For sequential bias correction of measured plans; empty: there is none.
  Dataset correction_samples = {};
  std::vector<std::string> warnings = {};
};

// What scales are made of.
struct ScalesSource {
  const NetworkAtShapes& network;
  const TuneOptions& options;
  const Samples& samples;
  const BankSession& bank;
  std::optional<ScaledSpeed> speed;  // of the machine profile; empty: unknown
  int threads = 0;
  CompileOptions compile;
  bool stored_only = false;  // true: no calibration runs
};

// Takes the scales that the options give, those of an earlier calibration in the knowledge base, or
// calibrates and stores them. Errors as QuantizeModeFor(), LoadSamples(), CalibrationCandidates().
Scales ScalesOf(const ScalesSource& from, const TuneCallbacks& callbacks, TimeBudget& budget);

// The record of the scales for reports, with the bias shifts of the described point if that has its
// own; null: nothing is quantised.
std::shared_ptr<const CalibrationRecord> CalibrationAt(const Scales& scales,
                                                       const TunedFront& front);

}  // namespace halftone
