// Skips a test binary whose limit of instruction sets makes it a duplicate (isa_of_run.h).
#include <gtest/gtest.h>

#include "tests/support/isa_of_run.h"

namespace halftone::testing {
namespace {

class EachIsaOnce : public ::testing::Environment {
 public:
  void SetUp() override {
    if (const std::string why = ReasonToSkipIsa(); !why.empty()) {
      GTEST_SKIP() << why;
    }
  }
};

const ::testing::Environment* const kRegistered =
    ::testing::AddGlobalTestEnvironment(new EachIsaOnce);

}  // namespace
}  // namespace halftone::testing
