#include "src/api/load/calibration_samples.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "src/api/quantize_options.h"

namespace halftone {

Dataset CalibrationPart(const Dataset& all) {
  const std::size_t count = std::min(all.size(), kMostCalibrationSamples);
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < count; ++i) {
    indices.push_back(i * all.size() / count);
  }
  return all.Part(indices);
}

}  // namespace halftone
