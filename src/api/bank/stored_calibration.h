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
  double had_s = 0;                                 // seconds that it had, where something was cut

  // Whether a calibration with so many seconds would do little more. A tenth is what reading the
  // network and the samples may take less in another run.
  [[nodiscard]] bool Answers(double seconds) const { return cut.empty() || seconds <= 1.1 * had_s; }
};

// Kernels of these operators that scales hold for: those of any CPU.
KernelVersion KernelsOfScales(const std::set<OpKind>& ops);

// Hash of all that scales depend on but time: network, samples, what `options` ask for, the kernels
// of the network's operators, this version.
Hash128 CalibrationKey(const Model& model, const Hash128& samples,
                       const CalibrationOptions& options);

// What the bank knows; a damaged row is left out.
struct KnownCalibration {
  std::optional<StoredCalibration> calibration;
  std::string warning;  // of a damaged row, a sentence; empty: none
};

KnownCalibration FindCalibration(TrialStore& store, const Model& model, const Hash128& key);

// What cannot be written is left out: it is made again. The warning that says so; empty: it is
// there.
std::string StoreCalibration(TrialStore& store, const Model& model, const Hash128& key,
                             const StoredCalibration& calibration);

}  // namespace halftone
