#include "labs/aa/calibrate_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr std::int64_t kFirstElements = 1 << 12;
// The work is calibrated to within this of what is wanted.
constexpr double kCalibration = 0.001;
constexpr int kMostCalibrations = 8;

}  // namespace

CalibratedWork CalibrateWork(double share,
                             const std::function<double(std::int64_t elements)>& ratio_of) {
  std::int64_t elements = kFirstElements;
  CalibratedWork work;
  for (int attempt = 0; attempt < kMostCalibrations; ++attempt) {
    work = {.elements = elements, .ratio = ratio_of(elements)};
    if (std::abs(work.ratio - 1 - share) <= kCalibration) {
      return work;
    }
    // A quarter and four times at most: what is small is lost in the noise.
    const double scale = std::clamp(share / std::max(work.ratio - 1, 1e-9), 0.25, 4.0);
    elements = std::max<std::int64_t>(1, std::llround(static_cast<double>(elements) * scale));
  }
  throw Error(ErrorKind::kUnsupported,
              fmt::format("expected planted work that takes {:g} % of the run to within {:g} %, "
                          "found none in {} measurements: the last, of {} elements, took {:.2f} %; "
                          "use an idle machine or a longer --calibration",
                          100 * share, 100 * kCalibration, kMostCalibrations, work.elements,
                          100 * (work.ratio - 1)));
}

}  // namespace halftone
