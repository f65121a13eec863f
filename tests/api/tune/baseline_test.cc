#include "src/api/tune/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;

// Proposes two modes and remembers what comes back.
class TwoModes : public SearchStrategy {
 public:
  explicit TwoModes(std::vector<Candidate>& updated) : updated_(updated) {}

  std::vector<Candidate> Suggest(std::size_t /*max_count*/) override {
    if (std::exchange(done_, true)) {
      return {};
    }
    return {{{.precision_mode = "force_fp32"}}, {{.precision_mode = "allow_mix_precision"}}};
  }

  void Update(std::span<const Trial> finished) override {
    for (const Trial& trial : finished) {
      updated_.push_back(trial.candidate);
    }
  }

 private:
  std::vector<Candidate>& updated_;
  bool done_ = false;
};

TEST(BaselineFirstTest, CandidatesTakeOverWhatASearchDoesNotDecide) {
  const PrecisionOptions baseline{.precision_mode = "force_fp16",
                                  .output_type = "FP16",
                                  .input_fp16_nodes = {"x"},
                                  .is_weight_clip = "0"};
  std::vector<Candidate> updated;
  const auto strategy = BaselineFirst(baseline, std::make_unique<TwoModes>(updated));
  EXPECT_THAT(strategy->Suggest(8), ElementsAre(Candidate{baseline}));
  strategy->Update(std::vector<Trial>{{.candidate = {baseline}}});
  EXPECT_TRUE(updated.empty()) << "the strategy behind did not propose it";
  const std::vector<Candidate> candidates = strategy->Suggest(8);
  ASSERT_EQ(candidates.size(), 2U);
  std::vector<Trial> finished;
  for (const Candidate& candidate : candidates) {
    EXPECT_EQ(candidate.options.output_type, "FP16");
    EXPECT_EQ(candidate.options.is_weight_clip, "0");
    EXPECT_THAT(candidate.options.input_fp16_nodes, ElementsAre("x"));
    finished.push_back({.candidate = candidate});
  }
  strategy->Update(finished);
  EXPECT_THAT(updated, ElementsAre(Candidate{{.precision_mode = "force_fp32"}},
                                   Candidate{{.precision_mode = "allow_mix_precision"}}));
  EXPECT_TRUE(strategy->Suggest(8).empty());
}

Trial Measured(double ratio, double loss, double sqnr) {
  Measurement measurement;
  measurement.latency.ratio = ratio;
  measurement.accuracy.metrics = {{"rel_l2", loss, loss, 0}, {"sqnr_db", sqnr, sqnr, 0}};
  Trial trial;
  trial.outcome = measurement;
  return trial;
}

TEST(ChooseAgainstBaselineTest, TheFastestThatIsNotLessAccurate) {
  const std::vector<Trial> front = {Measured(0.4, 3e-2, 30), Measured(0.5, 1e-2, 40),
                                    Measured(0.9, 1e-3, 60)};
  EXPECT_EQ(ChooseAgainstBaseline(front, Measured(0.7, 2e-2, 34), {}, {}), 1U);
  EXPECT_EQ(ChooseAgainstBaseline(front, Measured(0.5, 1e-2, 40), {}, {}), 1U)
      << "as accurate will do";
  EXPECT_EQ(ChooseAgainstBaseline(front, Measured(1, 1e-3, 60), {}, {}), 2U);
  EXPECT_EQ(ChooseAgainstBaseline(front, Measured(1, 1e-3, 60), {.min_sqnr_db = 25}, {}), 0U)
      << "a bound of the user replaces that of the baseline";
  EXPECT_EQ(ChooseAgainstBaseline(front, Measured(0.5, 1e-2, 40), {.min_sqnr_db = 70}, {}),
            std::nullopt);
}

}  // namespace
}  // namespace halftone
