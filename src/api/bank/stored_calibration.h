// Calibrations in a knowledge base, so that a network is calibrated once for the same samples and
// method.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "knowledge_base/store.h"
#include "src/api/halftone.h"
#include "src/base/hash.h"
#include "src/quantization/calibration_record.h"
#include "src/quantization/quantization.h"

namespace halftone {

struct CalibrationOptions;

struct StoredCalibration {
  SharedQuantization quantization;
  std::shared_ptr<const CalibrationRecord> record;  // null: none was stored
  std::string cut;                                  // as Calibration::cut
  double had_s = 0;  // time limit of the calibration in seconds; 0: no limit

  // True if a new calibration within `seconds` would do little more: this one was not cut short, or
  // `seconds` is at most 10 % more than its limit. The margin covers a network that is read faster.
  [[nodiscard]] bool Answers(double seconds) const { return cut.empty() || seconds <= 1.1 * had_s; }
};

// Version of the kernels of these operators, without the CPU: scales are the same on every CPU.
KernelVersion KernelsOfScales(const std::set<OpKind>& ops);

// Hash of everything that determines the scales, except time: network, input shapes, samples,
// methods and corrections in `options`, kernels of the network's operators, version of halftone.
Hash128 CalibrationKey(const Model& model, const Hash128& samples,
                       const CalibrationOptions& options);

// Result of FindCalibration().
struct KnownCalibration {
  std::optional<StoredCalibration> calibration;  // empty: none is stored, or it cannot be read
  std::string warning;                           // a sentence: why it cannot be read; empty: it can
};

KnownCalibration FindCalibration(TrialStore& store, const Model& model, const Hash128& key);

// Stores a calibration. Returns a warning, one sentence, if that fails: the next run can calibrate
// again, so a failure is no error. Empty: it is stored.
std::string StoreCalibration(TrialStore& store, const Model& model, const Hash128& key,
                             const StoredCalibration& calibration);

}  // namespace halftone
