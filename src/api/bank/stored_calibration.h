// Calibrations beside a knowledge base: the same network, samples and method are calibrated once.
//
// A folder <op_bank_path>/<soc_version>/calibrations/<key> holds quantization.json, histograms.json
// and calibration.json, which is written last and without which the others do not count. What is
// damaged or of another version is made again.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

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

  // Whether a calibration with so many seconds would do no more.
  [[nodiscard]] bool Answers(double seconds) const { return cut.empty() || seconds <= had_s; }
};

// Hash of all that scales depend on but time: network, samples, what `options` ask for, the kernels
// of the network's operators, this version.
Hash128 CalibrationKey(const Model& model, const Hash128& samples,
                       const CalibrationOptions& options);

// `folder`: of the target's knowledge base. Empty: none is there that can be read.
std::optional<StoredCalibration> FindCalibration(const std::filesystem::path& folder,
                                                 const Hash128& key);

// What cannot be written is left out: it is made again. The warning that says so; empty: it is
// there.
std::string StoreCalibration(const std::filesystem::path& folder, const Hash128& key,
                             const StoredCalibration& calibration);

}  // namespace halftone
