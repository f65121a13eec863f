// Machine profiles in a store: what a stop leaves is gone on with.
#include "src/api/bank/stored_profile.h"

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/exec/host_target.h"

namespace halftone {
namespace {

class StoredProfileTest : public ::testing::Test {
 protected:
  // Ends after `modes` of them; returns how many were measured.
  int Measure(int modes) {
    int measured = 0;
    const auto planted = [&](std::span<const TunableStep> steps) {
      return measured < modes ? (++measured, CallsOf(steps)) : std::vector<ProfiledCall>();
    };
    MeasureProfiles({OpKind::kMatMul}, {target_, pool_, 1, {}, planted}, *store_);
    return measured;
  }

  [[nodiscard]] bool IsWhole() { return !StoredProfile({OpKind::kMatMul}, 1, *store_).empty(); }

  // A second a kernel.
  static std::vector<ProfiledCall> CallsOf(std::span<const TunableStep> steps) {
    std::vector<ProfiledCall> calls;
    for (const TunableStep& step : steps) {
      calls.push_back({.shape = *step.shape, .seconds = {}});
      for (const std::string& kernel : step.kernels) {
        calls.back().seconds[kernel] = 1;
      }
    }
    return calls;
  }

  const TargetSpec target_ = HostTarget();
  const ThreadPool pool_{1};
  std::unique_ptr<TrialStore> store_ = MakeMemoryStore();
};

TEST_F(StoredProfileTest, AStopKeepsTheModesThatWereMeasured) {
  constexpr int kMore = 1000;  // than there are
  const int all = Measure(kMore);
  ASSERT_GT(all, 2) << "modes with kernels of their own";
  ASSERT_TRUE(IsWhole());
  EXPECT_EQ(Measure(kMore), 0) << "a whole part is not measured again";

  store_ = MakeMemoryStore();
  EXPECT_EQ(Measure(1), 1);
  EXPECT_FALSE(IsWhole());
  EXPECT_EQ(Measure(1), 1);
  EXPECT_FALSE(IsWhole());
  EXPECT_EQ(Measure(kMore), all - 2);
  EXPECT_TRUE(IsWhole());
}

TEST_F(StoredProfileTest, AStopBeforeTheFirstModeStoresNothing) {
  EXPECT_EQ(Measure(0), 0);
  EXPECT_TRUE(store_->OperatorProfileSummaries().empty());
}

TEST_F(StoredProfileTest, AStopWithoutProgressStoresNothingAgain) {
  Measure(1);
  const std::size_t stored = store_->OperatorProfileSummaries().size();
  Measure(0);
  EXPECT_EQ(store_->OperatorProfileSummaries().size(), stored);
}

}  // namespace
}  // namespace halftone
