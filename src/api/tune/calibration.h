// Calibration of a tuning run: the scales of its 8-bit operators.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/calibrate/calibrate.h"
#include "search/operators/format_times.h"
#include "src/api/tune/run_inputs.h"
#include "src/base/time_budget.h"
#include "src/exec/executable.h"
#include "src/quantization/calibration_record.h"
#include "src/report/tune_summary.h"

namespace halftone {

// Largest time of 8-bit products, relative to the fastest other format, with which 8 bits are
// searched by default. Above 1 to tolerate noise of the machine profile; chosen, not measured.
inline constexpr double kSlowScaledRatio = 1.1;

// Largest share of a time budget for the calibration. It is smaller for a budget of few float32
// runs, so that plans have time.
double CalibrationShare(const TimeBudget& budget);

// Sentence why the budget has no time for a calibration; empty: it has, or the options ask for 8
// bits or name samples for them.
std::string WhyNotCalibrated(const TuneOptions& options, const TimeBudget& budget);

// Quantisation mode of this run: that of the options if they give one. Otherwise it is kOn if the
// target is a destination of QDQ files, or if there is real data to calibrate on (or given scales)
// and `speed` does not exceed kSlowScaledRatio; AmctModeFor() for a target of AMCT. `speed`: from
// the machine profile; empty: unknown. Error kUsage if the options ask for 8 bits and the target
// has no 8-bit operators.
QuantizeMode QuantizeModeFor(const TuneOptions& options, const TargetSpec& target,
                             const Dataset& samples, const std::optional<ScaledSpeed>& speed);

// One sentence: why 8 bits are not searched on this machine by default.
std::string SlowScaledNote(const ScaledSpeed& speed);

// Scales of the 8-bit operators of a run.
struct Scales {
  SharedQuantization quantization;  // empty: 8 bits are not searched
  // Record of the scales, for reports; null: nothing is quantised.
  std::shared_ptr<const CalibrationRecord> record = nullptr;
  // Samples that are written for AMCT beside the points; empty: AMCT quantises no layer.
  Dataset calibration_samples = {};
  // Samples for the sequential bias correction of measured plans; empty: no such correction.
  Dataset correction_samples = {};
  std::vector<std::string> warnings = {};  // full sentences
};

// Scales from the options, from the knowledge base, or by a calibration, which it stores there; no
// scales if QuantizeModeFor() is kOff. `speed`: of 8 bits in the machine profile; empty: unknown.
// `compile`: options of the runs of a calibration. Errors as QuantizeModeFor(), LoadSamples() and
// CalibrationCandidates().
Scales ScalesOf(const RunInputs& inputs, const std::optional<ScaledSpeed>& speed,
                const CompileOptions& compile, const TuneCallbacks& callbacks, TimeBudget& budget);

// Record of the scales for reports; null: nothing is quantised. If the described point of the front
// has bias shifts of its own, the record has those.
std::shared_ptr<const CalibrationRecord> CalibrationAt(const Scales& scales,
                                                       const TunedFront& front);

}  // namespace halftone
