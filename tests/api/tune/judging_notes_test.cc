// Footnotes of a front on their way through a knowledge base.
#include "src/api/tune/judging_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace halftone {
namespace {

using ::testing::ElementsAre;

TunedFront FrontOf(const std::vector<std::uint64_t>& plans) {
  TunedFront front;
  for (const std::uint64_t plan : plans) {
    FrontPoint point;
    point.trial.plan_digest = Hasher().Add(static_cast<std::int64_t>(plan)).Finish();
    point.trial.outcome = Measurement();
    front.points.push_back(std::move(point));
  }
  return front;
}

TEST(FrontNotesTest, ThoseOfFloat32AndOfSaturationAreOneSentenceEach) {
  TunedFront front = FrontOf({1, 2, 3});
  const OutputCounts apart{.name = "logits",
                           .node = "mask",
                           .elements = 8,
                           .compared = 8,
                           .apart = 2,
                           .apart_saturated = 0,
                           .samples = 1,
                           .apart_value = -3e38};
  OutputCounts saturated = apart;
  saturated.apart_saturated = 2;
  std::get<Measurement>(front.points[0].trial.outcome).accuracy.outputs = {saturated};
  std::get<Measurement>(front.points[1].trial.outcome).accuracy.outputs = {apart};
  std::get<Measurement>(front.points[2].trial.outcome).accuracy.outputs = {saturated};
  const OutputCounts reference[] = {apart};
  const std::vector<std::string> sentences = SentencesOf(NotesOf(reference, front));
  ASSERT_EQ(sentences.size(), 2U) << ::testing::PrintToString(sentences);
  EXPECT_EQ(sentences[0], JudgingNotes(reference).at(0));
  EXPECT_THAT(sentences[1], ::testing::StartsWith("points 1, 3: "));
}

// The bank may give the points in another order, and more of them.
TEST(FrontNotesTest, ComeBackForEachPlan) {
  const FrontNotes notes{.reference = {"\"a\" \xff"}, .points = {{"one"}, {}, {"one", "three"}}};
  const TunedFront front = FrontOf({1, 2, 3});
  const std::string text = ToText(notes, front);
  EXPECT_THAT(SentencesOf(NotesFrom(text, front)),
              ElementsAre("\"a\" \xff", "points 1, 3: one", "point 3: three"));
  EXPECT_THAT(SentencesOf(NotesFrom(text, FrontOf({3, 4, 1, 2}))),
              ElementsAre("\"a\" \xff", "points 1, 3: one", "point 1: three"));
}

TEST(FrontNotesTest, WithoutNotesThereIsNoText) {
  const TunedFront front = FrontOf({1, 2});
  EXPECT_EQ(ToText({.reference = {}, .points = {{}, {}}}, front), "");
  EXPECT_THAT(SentencesOf(NotesFrom("", front)), ElementsAre());
}

}  // namespace
}  // namespace halftone
