#include "labs/aa/calibrate_work.h"

#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

TEST(CalibrateWorkTest, FindsTheWorkThatTakesTheWantedShare) {
  for (const double elements_of_all : {1e3, 1e6, 1e8}) {
    const CalibratedWork work = CalibrateWork(0.02, [&](std::int64_t elements) {
      return 1 + static_cast<double>(elements) / elements_of_all;
    });
    EXPECT_NEAR(work.ratio, 1.02, 0.001) << elements_of_all;
    EXPECT_NEAR(static_cast<double>(work.elements), 0.02 * elements_of_all,
                0.001 * elements_of_all);
  }
}

// It went on with whatever the last measurement had said.
TEST(CalibrateWorkTest, WorkThatIsNeverRightIsAnError) {
  int measured = 0;
  try {
    CalibrateWork(0.02,
                  [&](std::int64_t /*elements*/) { return ++measured % 2 == 0 ? 1.0 : 1.05; });
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_STREQ(error.what(),
                 "expected planted work that takes 2 % of the run to within 0.1 %, found none in 8 "
                 "measurements: the last, of 6710 elements, took 0.00 %; use an idle machine or a "
                 "longer --calibration");
  }
  EXPECT_EQ(measured, 8);
}

}  // namespace
}  // namespace halftone
