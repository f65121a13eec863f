// Kernels in point.json: those that steps of the plan use, kept through the file, and used only on
// the machine where they were chosen.
#include "src/api/bank/point_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "src/api/options/point_record.h"
#include "src/base/error.h"
#include "src/exec/executable.h"
#include "src/exec/tunable_steps.h"
#include "src/precision/resolve/resolve.h"
#include "tests/api/tune/products_model.h"
#include "tests/support/planted_kernels.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PointKernelsTest : public ::testing::Test {
 protected:
  PointKernelsTest() {
    // As if the second kernel of each float32 operator had won, and of an operator that the network
    // does not have.
    for (const TunableStep& step : TunableSteps(model_.graph, plan_, 1)) {
      choices_.Set(step.signature, step.kernels.at(1));
    }
    steps_ = choices_.kernels().size();
    choices_.Set("Exp 7: float32 7 -> float32 7; ; default; 1 thread", "exp.f32.reference");
  }

  // The point with these kernels, written and read.
  [[nodiscard]] Point Shipped(const std::optional<PointKernels>& kernels) const {
    PointRecord record = RecordOf(model_, "host", plan_.Digest());
    record.kernels = kernels;
    return {.folder = "out/point_1",
            .arguments = {},
            .record = ParsePointRecord(FormatPointRecord(record), "point.json"),
            .notes = {}};
  }

  testing::PlantedKernels planted_ = testing::PlantProducts();
  Model model_ = Products({64, 48, 32});
  PrecisionPlan plan_ = ReferencePlan(model_.graph);
  KernelChoices choices_ = KernelChoices(1);
  std::size_t steps_ = 0;
};

TEST_F(PointKernelsTest, ThoseOfThePlanReachTheRun) {
  ASSERT_GT(steps_, 0U);
  const auto kernels = KernelsOfPoint(model_.graph, plan_, choices_);
  ASSERT_TRUE(kernels);
  EXPECT_THAT(kernels->chosen, SizeIs(steps_));
  const PointChoices read = ChoicesOfPoint(Shipped(kernels), 1);
  EXPECT_THAT(read.note, IsEmpty());
  const Executable tuned = Compile(model_.graph, plan_, {.kernels = {}, .choices = read.choices});
  EXPECT_EQ(std::ranges::count_if(tuned.steps(), &StepInfo::tuned), 2);
}

TEST_F(PointKernelsTest, ThoseOfFloat32AreAmongThem) {
  const PrecisionPlan halves =
      ResolvePrecision(model_.graph, {.precision_mode = "force_fp16"}, LoadTarget("host"));
  EXPECT_EQ(KernelsOfPoint(model_.graph, halves, choices_),
            KernelsOfPoint(model_.graph, plan_, choices_));
}

TEST_F(PointKernelsTest, WithoutChoicesThereAreNone) {
  EXPECT_FALSE(KernelsOfPoint(model_.graph, plan_, KernelChoices(1)));
  KernelChoices others(1);
  others.Set("Exp 7: float32 7 -> float32 7; ; default; 1 thread", "exp.f32.reference");
  EXPECT_FALSE(KernelsOfPoint(model_.graph, plan_, others));
  const PointChoices read = ChoicesOfPoint(Shipped(std::nullopt), 1);
  EXPECT_TRUE(read.choices.empty());
  EXPECT_THAT(read.note, IsEmpty());
}

TEST_F(PointKernelsTest, AnotherMachineTakesTheStaticOrderAndSaysSo) {
  const auto expect_note = [&](const PointKernels& kernels, int threads, const char* why) {
    const PointChoices read = ChoicesOfPoint(Shipped(kernels), threads);
    EXPECT_TRUE(read.choices.empty());
    EXPECT_THAT(read.note, HasSubstr("--point=out/point_1: its kernels are not used"));
    EXPECT_THAT(read.note, HasSubstr(why));
  };
  const PointKernels here = KernelsOfPoint(model_.graph, plan_, choices_).value();
  expect_note(here, 2, "chosen on 1 thread, this is 2 threads");
  PointKernels other = here;
  other.cpu = "Another CPU";
  expect_note(other, 1, "chosen on Another CPU, this is ");
  other = here;
  other.isa = "baseline+x";
  expect_note(other, 1, "chosen on baseline+x, this is ");
  other = here;
  other.table = Hash128();
  expect_note(other, 1, "chosen among the kernels of another version");
}

TEST_F(PointKernelsTest, RecordsOfBeforeHaveNone) {
  const PointRecord record = RecordOf(model_, "host", plan_.Digest());
  std::string text = FormatPointRecord(record);
  const auto kernels = text.find(",\n  \"kernels\": null");
  ASSERT_NE(kernels, std::string::npos) << text;
  text.erase(kernels, std::string_view(",\n  \"kernels\": null").size());
  EXPECT_FALSE(ParsePointRecord(text, "point.json").kernels);
}

TEST_F(PointKernelsTest, WrongKernelsAreRefused) {
  const std::string text =
      FormatPointRecord(*Shipped(KernelsOfPoint(model_.graph, plan_, choices_)).record);
  const auto expect_error = [&](const std::string& from, const std::string& to) {
    std::string wrong = text;
    const auto place = wrong.find(from);
    ASSERT_NE(place, std::string::npos) << text;
    wrong.replace(place, from.size(), to);
    EXPECT_THROW(ParsePointRecord(wrong, "point.json"), Error) << wrong;
  };
  expect_error("\"threads\": 1", "\"threads\": 0");
  expect_error("\"threads\": 1", "\"threads\": 1.5");
  expect_error("\"table\": \"", "\"table\": \"x");
  expect_error("\"chosen\": {", "\"chosen\": [], \"more\": {");
}

}  // namespace
}  // namespace halftone
