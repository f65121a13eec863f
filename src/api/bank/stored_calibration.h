// Calibrations in a knowledge base: the same network, samples and method are calibrated once.
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
  std::shared_ptr<const CalibrationRecord> record;  // null: there was none
  std::string cut;                                  // as Calibration::cut
  double had_s = 0;  // seconds that it was given, where something was cut

  // True if a calibration with so many seconds would do little more: time did not cut this one
  // short, or gave it nearly as much. The tenth allows for a network that was read faster.
  [[nodiscard]] bool Answers(double seconds) const { return cut.empty() || seconds <= 1.1 * had_s; }
};

// Version of the kernels of these operators that scales depend on, the same on any CPU.
KernelVersion KernelsOfScales(const std::set<OpKind>& ops);

// Hash of all that scales depend on except time: network, samples, what `options` ask for, the
// kernels of the network's operators, this version.
Hash128 CalibrationKey(const Model& model, const Hash128& samples,
                       const CalibrationOptions& options);

// A calibration from the bank; damaged rows are left out.
struct KnownCalibration {
  std::optional<StoredCalibration> calibration;
  std::string warning;  // of a damaged row, a sentence; empty: none
};

KnownCalibration FindCalibration(TrialStore& store, const Model& model, const Hash128& key);

// Stores a calibration. What cannot be written is left out, since it can be made again; then the
// result is a warning. Empty: all is stored.
std::string StoreCalibration(TrialStore& store, const Model& model, const Hash128& key,
                             const StoredCalibration& calibration);

}  // namespace halftone
