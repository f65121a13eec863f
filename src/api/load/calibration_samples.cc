#include "src/api/load/calibration_samples.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "src/api/quantize_options.h"

namespace halftone {

Dataset CalibrationPart(const Dataset& all) {
  return EvenlySpaced(all, std::min(all.size(), kMostCalibrationSamples));
}

Dataset EvenlySpaced(const Dataset& all, std::size_t count) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < count; ++i) {
    indices.push_back(i * all.size() / count);
  }
  return all.Part(indices);
}

}  // namespace halftone
