// Scales of 8-bit tensors from files, and the names of calibration methods.
#include <fmt/format.h>

#include "src/api/halftone.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/quantization/calibration_method.h"
#include "src/quantization/files/quantization_file.h"

namespace halftone {

SharedQuantization LoadScales(const std::filesystem::path& path) {
  return SharedQuantization(
      ParseQuantization(ReadSmallFile(path, kMostQuantizationBytes), path.string()).quantization);
}

std::string CalibrationMethodNames() {
  std::vector<std::string> names;
  for (const CalibrationMethod& method : AllCalibrationMethods()) {
    names.emplace_back(method.name);
  }
  return Join(names, ", ");
}

void CheckCalibrationMethod(std::string_view text) {
  CalibrationCandidates(text);
}

}  // namespace halftone
