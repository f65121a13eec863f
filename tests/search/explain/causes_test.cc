// Each class of causes on facts that show it, and on operators that are made to have it.
#include "search/explain/causes.h"

#include <gtest/gtest.h>

#include "search/probe/error_probes.h"
#include "src/exec/host_target.h"

namespace halftone {
namespace {

struct CauseCase {
  const char* name;
  GroupSensitivity group;
  ChoiceSensitivity choice;
  double saved_time;
  const char* cause;
  const char* evidence;
};

void PrintTo(const CauseCase& row, std::ostream* out) {
  *out << row.name;
}

constexpr double kUnit = 1e-7;  // power of one rounding to float16

GroupSensitivity Ordinary() {
  GroupSensitivity group;
  group.formats[DType::kFloat16].rounding = {.operands = kUnit, .carried = kUnit, .results = kUnit};
  group.gain = 1;
  group.largest_value = 10;
  group.longest_sum = 1;
  return group;
}

template <typename Change>
GroupSensitivity With(const Change& change) {
  GroupSensitivity group = Ordinary();
  change(group);
  return group;
}

class CausesTest : public ::testing::TestWithParam<CauseCase> {};

TEST_P(CausesTest, AreToldApart) {
  const CauseCase& row = GetParam();
  const CauseFacts facts{row.group, row.choice, DType::kFloat16, row.saved_time};
  EXPECT_EQ(CauseOf(facts).name, row.cause);
  EXPECT_EQ(CauseOf(facts).evidence(facts), row.evidence);
}

const ChoiceSensitivity kFine{.local_error = kUnit};

INSTANTIATE_TEST_SUITE_P(
    Rows, CausesTest,
    ::testing::Values(
        CauseCase{"Overflow",
                  With([](GroupSensitivity& group) {
                    group.largest_value = 1e5;
                    group.largest_sample = 7;
                  }),
                  {.refusal = "infinite", .not_finite = true},
                  0.1,
                  "overflow",
                  "its largest value is 1e+05 in sample 7, the limit of float16 65504"},
        CauseCase{"OverflowInside",
                  Ordinary(),
                  {.refusal = "infinite", .not_finite = true},
                  0.1,
                  "overflow",
                  "infinite; its largest value is 10 in sample 0, so it happens inside"},
        CauseCase{
            "Unsupported", Ordinary(), {.refusal = "no kernel"}, 0.1, "unsupported", "no kernel"},
        CauseCase{"Clipping", With([](GroupSensitivity& group) { group.largest_value = 1e5; }),
                  kFine, 0.1, "clipping",
                  "its largest value is 1e+05 in sample 0, the limit of float16 65504"},
        CauseCase{"Decision",
                  Ordinary(),
                  {.local_error = 0.015625, .changed = 0.125},
                  -0.015,
                  "decision",
                  "12.50 % of its integer or boolean elements are others than in float32"},
        CauseCase{"NotFaster", Ordinary(), kFine, -0.015, "not faster",
                  "it would take 1.5 % of float32's time more, casts left out"},
        CauseCase{"LeftOut",
                  Ordinary(),
                  {.refusal = "it takes longer than float32", .left_out = true},
                  -0.015,
                  "not faster",
                  "it would take 1.5 % of float32's time more, casts left out"},
        CauseCase{"Underflow", With([](GroupSensitivity& group) {
                    group.formats[DType::kFloat16].rounding.tiny_share = 0.75;
                  }),
                  kFine, 0.1, "underflow",
                  "75 % of the power of its rounding errors comes from magnitudes below 6.1e-05, "
                  "the smallest normal number of float16"},
        CauseCase{"Cancellation", With([](GroupSensitivity& group) {
                    group.formats[DType::kFloat16].rounding.carried = 100 * kUnit;
                  }),
                  kFine, 0.1, "cancellation",
                  "the relative error of rounded operands grows 10.0 times within it"},
        CauseCase{"Accumulation",
                  With([](GroupSensitivity& group) { group.longest_sum = 4096; }),
                  {.local_error = 25 * kUnit},
                  0.1,
                  "accumulation length",
                  "sums of 4096 terms; its own error is 5.0 times the rounding of its result"},
        CauseCase{"Approximation",
                  Ordinary(),
                  {.local_error = 25 * kUnit},
                  0.1,
                  "approximation",
                  "its own error is 5.0 times the rounding of its result"},
        CauseCase{"Amplification", With([](GroupSensitivity& group) { group.gain = 10000; }), kFine,
                  0.1, "amplification downstream",
                  "what follows amplifies its relative error 100.0 times"},
        CauseCase{"Rounding", Ordinary(), kFine, 0.1, "rounding",
                  "an ordinary rounding error of 0.00045; others save more time for theirs"}),
    [](const auto& param) { return param.param.name; });

// y = x - c on the values given: probed, and the cause of the float16 choice.
std::string CauseOfDifference(const std::vector<float>& x, float c) {
  Graph graph;
  const TensorType type{DType::kFloat32, {static_cast<std::int64_t>(x.size())}};
  const ValueId input = graph.AddValue({.name = "x", .type = type, .constant = {}});
  const ValueId constant = graph.AddValue(
      {.name = "c",
       .type = type,
       .constant = Tensor::From<float>(type.shape, std::vector<float>(x.size(), c))});
  const ValueId output = graph.AddValue({.name = "y", .type = type, .constant = {}});
  graph.inputs = {input};
  graph.outputs = {output};
  Node node;
  node.name = "difference";
  node.op = OpKind::kSub;
  node.origins = {{"difference", "Sub"}};
  node.inputs = {input, constant};
  node.outputs = {output};
  graph.nodes.push_back(node);

  const TargetSpec target = HostTarget();
  const Decisions decisions(graph, target);
  const Dataset dataset({Sample{"sample", {Tensor::From<float>(type.shape, x)}}});
  const ProbeOptions options;
  const ThreadPool pool(1);
  ErrorProbes probes(decisions, dataset, options, pool);
  const GroupSensitivity sensitivity = probes.ProbeAll().front();
  for (std::size_t i = 0; i < sensitivity.choices.size(); ++i) {
    if (decisions.groups()[0].choices[i].format == DType::kFloat16) {
      return std::string(CauseOf({sensitivity, sensitivity.choices[i], DType::kFloat16, 0.1}).name);
    }
  }
  return "no float16";
}

std::vector<float> Around(float middle, float spread) {
  std::vector<float> values;
  for (int i = 0; i < 64; ++i) {
    values.push_back(middle + spread * static_cast<float>((i * 37) % 64 - 32) / 32);
  }
  return values;
}

TEST(CausesOfOperatorsTest, AreFound) {
  EXPECT_EQ(CauseOfDifference(Around(100, 0.5F), 100), "cancellation");
  EXPECT_EQ(CauseOfDifference(Around(0, 1e-6F), 0), "underflow");
  EXPECT_EQ(CauseOfDifference(Around(0, 1e5F), 0), "overflow");
  EXPECT_EQ(CauseOfDifference(Around(2, 1), 0.25F), "rounding");
}

TEST(CausesTest, NoErrorIsNoRoundingErrorOf0) {
  const GroupSensitivity group;
  const ChoiceSensitivity choice;
  const CauseFacts facts{group, choice, DType::kFloat16, 0.1};
  EXPECT_EQ(CauseOf(facts).evidence(facts),
            "no error on the probed samples; others save more time");
}

}  // namespace
}  // namespace halftone
