// How much work makes a run longer by a wanted share, as measurements say.
#pragma once

#include <cstdint>
#include <functional>

namespace halftone {

struct CalibratedWork {
  std::int64_t elements = 0;
  double ratio = 1;  // of the run with them to the run without, as last measured
};

// `ratio_of` measures the run with so many elements. Error kUnsupported when none of eight
// measurements comes within 0.1 % of 1 + share.
CalibratedWork CalibrateWork(double share,
                             const std::function<double(std::int64_t elements)>& ratio_of);

}  // namespace halftone
