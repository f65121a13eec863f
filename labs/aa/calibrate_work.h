// Calibration of extra work that lengthens a run by a given share.
#pragma once

#include <cstdint>
#include <functional>

namespace halftone {

struct CalibratedWork {
  std::int64_t elements = 0;
  double ratio = 1;  // measured time of a run with these elements over that of a run without
};

// Finds the number of elements whose extra work lengthens a run by `share`. ratio_of(elements)
// measures the time of a run with this work over that of a run without. Error kUnsupported if none
// of eight measurements is within 0.1 % of 1 + share.
CalibratedWork CalibrateWork(double share,
                             const std::function<double(std::int64_t elements)>& ratio_of);

}  // namespace halftone
