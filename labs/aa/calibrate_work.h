// Calibration of the work that lengthens a run by a wanted share.
#pragma once

#include <cstdint>
#include <functional>

namespace halftone {

struct CalibratedWork {
  std::int64_t elements = 0;
  double ratio = 1;  // measured ratio of the run with them to the run without
};

// Measures with ratio_of(elements), the ratio of a run with so much extra work. Error kUnsupported
// when none of eight measurements comes within 0.1 % of 1 + share.
CalibratedWork CalibrateWork(double share,
                             const std::function<double(std::int64_t elements)>& ratio_of);

}  // namespace halftone
