// Every number format that is no dtype and has no scale, through the whole of the program: values,
// lowering, probes, search, causes, files, bank and reports. A new row of kOtherFormats is tried by
// itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "knowledge_base/candidate_json.h"
#include "knowledge_base/sensitivity_json.h"
#include "knowledge_base/sqlite_store.h"
#include "search/explain/causes.h"
#include "search/probe/activation_cache.h"
#include "search/probe/error_probes.h"
#include "search/strategies/strategy.h"
#include "search/tuner.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "src/exec/host_target.h"
#include "src/precision/explain/explain.h"
#include "src/precision/files/write_files.h"
#include "src/precision/resolve/resolve.h"
#include "src/precision/write/plan_writer.h"
#include "src/report/formats.h"
#include "tests/support/chain_network.h"
#include "tests/support/fake_measurer.h"
#include "tests/support/planted_prober.h"

namespace halftone {
namespace {

using testing::ChainNetwork;
using testing::ChainTarget;
using ::testing::HasSubstr;

std::vector<NumericFormat> FormatsThatAreNoDType() {
  std::vector<NumericFormat> formats;
  for (const FormatRow& row : kNumberFormats) {
    const NumericFormat format = *NumericFormat::Named(row.name);
    if (!format.is_dtype() && !format.has_scale()) {
      formats.push_back(format);
    }
  }
  return formats;
}

std::string NameOfRow(const ::testing::TestParamInfo<NumericFormat>& row) {
  return std::string(NameOf(row.param));
}

class NumberFormatsTest : public ::testing::TestWithParam<NumericFormat> {
 protected:
  [[nodiscard]] TargetSpec With(TargetSpec target) const {
    target.formats.push_back(GetParam());
    return target;
  }
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NumberFormatsTest);
INSTANTIATE_TEST_SUITE_P(Rows, NumberFormatsTest, ::testing::ValuesIn(FormatsThatAreNoDType()),
                         NameOfRow);

// The nearest value: neither neighbour of the result, one unit of its last place away, is nearer.
TEST_P(NumberFormatsTest, RoundsToTheNearestValue) {
  const FormatRow& row = GetParam().row();
  EXPECT_TRUE(Holds(row.dtype, GetParam()));
  EXPECT_FALSE(Holds(GetParam(), row.dtype));
  Rng rng(11);
  for (int i = 0; i < 20000; ++i) {
    const auto exponent = static_cast<int>(rng.Below(60)) - 30;
    const auto x = static_cast<float>(std::ldexp(rng.Uniform(-1, 1), exponent));
    const float rounded = row.round(x);
    EXPECT_EQ(row.round(rounded), rounded) << x;
    const double unit =
        x == 0 ? 0 : std::ldexp(1, std::ilogb(static_cast<double>(x)) - row.mantissa_bits);
    EXPECT_LE(std::fabs(static_cast<double>(x) - rounded), unit / 2) << x;
    EXPECT_EQ(std::remainder(rounded, unit), 0) << x;
  }
  const double unit = std::ldexp(1, -row.mantissa_bits);
  EXPECT_EQ(row.round(static_cast<float>(1 + unit / 2)), 1) << "a tie goes to even";
  EXPECT_EQ(row.round(static_cast<float>(1 + 1.5 * unit)), static_cast<float>(1 + 2 * unit));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(row.round(kInfinity), kInfinity);
  EXPECT_EQ(row.round(-kInfinity), -kInfinity);
  EXPECT_TRUE(std::isnan(row.round(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_EQ(row.round(static_cast<float>(row.largest)), static_cast<float>(row.largest));
}

// A product in the format is the float32 kernel on rounded operands, its result rounded: to the
// bit.
TEST_P(NumberFormatsTest, KernelsReadAndMakeRoundedValues) {
  const NumericFormat format = GetParam();
  const Graph graph = ChainNetwork(1);  // x -> mm0 -> act0
  const TargetSpec target = With(HostTarget());
  const Decisions decisions(graph, target, {.formats = {format}});
  ASSERT_EQ(decisions.groups().size(), 2U);
  Tensor x(DType::kFloat32, Shape{1, 8});
  Rng rng(5);
  for (float& value : x.mutable_values<float>()) {
    value = static_cast<float>(rng.Uniform(-2, 2));
  }
  const ThreadPool pool(1);
  const auto run = [&](const Graph& of, const PrecisionPlan& plan, const Tensor& input) {
    return RunOnce(Compile(of, plan, {}), {{input}}, pool)[0];
  };
  // The same network with rounded weights, and only the product of it.
  Graph rounded = graph;
  for (Value& value : rounded.values) {
    if (value.constant && value.constant->dtype() == DType::kFloat32) {
      value.constant = Convert(*value.constant, format);
    }
  }
  rounded.outputs = {rounded.node(0).outputs[0]};
  const Tensor product = Convert(run(rounded, ReferencePlan(rounded), Convert(x, format)), format);
  Graph first = graph;
  first.outputs = {graph.node(0).outputs[0]};
  // The first of the format is the most exact one, its result in the format; float32 has several
  // where the CPU has.
  const auto exact = std::ranges::find(decisions.groups()[0].choices, format, &Choice::format);
  ASSERT_NE(exact, decisions.groups()[0].choices.end());
  ASSERT_FALSE(exact->wide);
  const PrecisionPlan plan = decisions.PlanFor(decisions.Uniform(*exact));
  const Tensor made = run(first, plan, x);
  EXPECT_EQ(DoublesOf(made), DoublesOf(product));
  EXPECT_NE(DoublesOf(made), DoublesOf(run(first, ReferencePlan(first), x)));
}

TEST_P(NumberFormatsTest, ProbesSeeItsErrorAndCausesNameIt) {
  const NumericFormat format = GetParam();
  const Graph graph = ChainNetwork(2);
  const TargetSpec target = With(HostTarget());
  const Decisions decisions(graph, target, {.formats = FormatsToSearch(target, {})});
  std::vector<Sample> samples;
  Rng rng(7);
  for (int s = 0; s < 3; ++s) {
    Tensor input(DType::kFloat32, Shape{1, 8});
    for (float& value : input.mutable_values<float>()) {
      value = static_cast<float>(rng.Uniform(0.1, 1));
    }
    samples.push_back({"s", {input}});
  }
  const Dataset dataset(std::move(samples));
  const ThreadPool pool(1);
  ErrorProbes probes(decisions, dataset, {.min_samples = 3}, pool);
  const Sensitivity sensitivity{.groups = probes.ProbeAll(), .weights = probes.cache().weights()};
  for (std::size_t g = 0; g < decisions.groups().size(); ++g) {
    GroupSensitivity group = sensitivity.groups[g];
    const double rounding = std::ldexp(1, -format.row().mantissa_bits - 1);
    ASSERT_TRUE(group.formats.contains(format));
    const RoundingFacts& facts = group.formats.at(format).rounding;
    EXPECT_GT(facts.operands, 0);
    EXPECT_LE(facts.operands, rounding * rounding);
    for (std::size_t c = 0; c < group.choices.size(); ++c) {
      const Choice& choice = decisions.groups()[g].choices[c];
      if (choice.format != format) {
        continue;
      }
      EXPECT_TRUE(group.choices[c].refusal.empty()) << NameOf(choice);
      group.largest_value = 4 * format.row().largest;
      const CauseFacts cause{group, group.choices[c], format, 0.1};
      EXPECT_EQ(CauseOf(cause).name, "clipping");
      EXPECT_THAT(CauseOf(cause).evidence(cause), HasSubstr(NameOf(format)));
    }
  }
  EXPECT_EQ(SensitivityFromJson(SensitivityToJson(sensitivity)), sensitivity);
}

// Between bfloat16 and float32 in time and error, it belongs to the front.
TEST_P(NumberFormatsTest, TheSearchFindsPlansInIt) {
  const NumericFormat format = GetParam();
  const Graph graph = ChainNetwork(3);
  const TargetSpec target = With(ChainTarget());
  const TuneProblem problem{
      graph, target, MakeSearchSpace(graph, target, {.modes = {"allow_mix_precision_bf16"}})};
  testing::FakeMeasurer measurer(graph);
  testing::PlantedProber prober(measurer, 1);
  const auto strategy = MakeStrategy(
      "model", problem.space,
      {.network = StrategyNetwork{&problem.graph, &problem.target, &prober}, .goal = {}});
  const Confirmed result = RunTuner(problem, *strategy, measurer, {.max_trials = 100}, {}, {});
  int with_format = 0;
  for (const std::size_t member : result.front) {
    const Trial& trial = result.trials[member];
    if (trial.candidate.options.node_formats.empty()) {
      continue;
    }
    ++with_format;
    EXPECT_THAT(Summary(trial.candidate, AllVocabularies()[0]), HasSubstr(NameOf(format)));
    // The configuration gives the plan, and the bank gives the configuration.
    const Candidate stored = CandidateFromJson(CandidateToJson(trial.candidate));
    EXPECT_EQ(stored, trial.candidate);
    EXPECT_EQ(ResolvePrecision(graph, stored.options, target).Digest(), trial.plan_digest);
  }
  EXPECT_GT(with_format, 0);
}

class FormatPointTest : public NumberFormatsTest {
 protected:
  FormatPointTest() {
    const PrecisionPlan plan =
        decisions_.PlanFor(decisions_.Uniform({GetParam(), ImplMode::kHighPrecision}));
    trial_.candidate.options = ConfigurationFor(graph_, plan, target_).options;
    trial_.plan_digest = plan.Digest();
    Measurement measurement;
    measurement.latency = {.ratio = 0.5, .ratio_interval = {0.5, 0.5}};
    measurement.accuracy.metrics = {{"sqnr_db", 60, 60, 0}, {"rel_l2", 1e-3, 1e-3, 0}};
    trial_.outcome = measurement;
  }

  Graph graph_ = ChainNetwork(1);
  TargetSpec target_ = With(ChainTarget());
  Decisions decisions_{graph_, target_, {.formats = {GetParam()}}};
  Trial trial_;
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FormatPointTest);
INSTANTIATE_TEST_SUITE_P(Rows, FormatPointTest, ::testing::ValuesIn(FormatsThatAreNoDType()),
                         NameOfRow);

TEST_P(FormatPointTest, CannotBeExpressedInFiles) {
  const std::string name(NameOf(GetParam()));
  const PrecisionOptions& options = trial_.candidate.options;
  EXPECT_EQ(options.node_formats.at("mm0"), name);
  EXPECT_EQ(ObstacleToFiles(options),
            "the configuration cannot be expressed in files: no option names the number format of "
            "2 nodes ('act0': " +
                name + "); the knowledge base has it");
  try {
    WriteOptionFiles(options);
    FAIL() << "written";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_EQ(error.what(), ObstacleToFiles(options));
  }
  PrecisionOptions dtypes = options;
  dtypes.node_formats.clear();
  EXPECT_EQ(ObstacleToFiles(dtypes), "");
}

TEST_P(FormatPointTest, IsExplainedAndReported) {
  const std::string name(NameOf(GetParam()));
  const Explanation explanation = Explain(graph_, trial_.candidate.options, target_, {});
  EXPECT_EQ(explanation.nodes[0].compute, GetParam());
  TuneSummary summary;
  summary.front.points.push_back({.trial = trial_,
                                  .folder = "",
                                  .arguments = {},
                                  .not_expressible = ObstacleToFiles(trial_.candidate.options)});
  summary.front.chosen = 0;
  EXPECT_THAT(FormatFrontJson(summary),
              HasSubstr("\"not_expressible\": \"the configuration cannot"));
  EXPECT_THAT(FormatFrontJson(summary), HasSubstr("\"mm0\": \"" + name + "\""));
  EXPECT_THAT(FormatMarkdown(summary),
              HasSubstr("No files stand for it: the configuration cannot be"));
  EXPECT_THAT(FormatHtml(summary), HasSubstr("the configuration cannot be expressed"));
}

TEST_P(FormatPointTest, IsKeptInTheBank) {
  const std::filesystem::path bank =
      ::testing::TempDir() + "halftone_number_formats_" + std::string(NameOf(GetParam()));
  std::filesystem::remove_all(bank);
  Hash128 key;
  {
    const auto store = OpenSqliteStore(bank / "b.db", OpenMode::kReadWrite);
    key = store->AddWorkload({.model_name = "net", .target = "host", .threads = 1});
    store->AddTrial(key, trial_);
  }
  const auto store = OpenSqliteStore(bank / "b.db", OpenMode::kReadOnly);
  const auto trials = store->Trials(key);
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].trial.candidate, trial_.candidate);
  EXPECT_EQ(trials[0].trial.plan_digest, trial_.plan_digest);
  std::filesystem::remove_all(bank);
}

TEST_P(FormatPointTest, WrongFormatsAreRefused) {
  PrecisionOptions options = trial_.candidate.options;
  options.node_formats["mm0"] = "float99";
  const auto refusal = [&] {
    try {
      ResolvePrecision(graph_, options, target_);
      return std::string("resolved");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refusal(),
            "node 'mm0': 'float99' is no number format that operators compute in; this halftone "
            "does not know it");
  options.node_formats = {{"elsewhere", std::string(NameOf(GetParam()))}};
  EXPECT_EQ(refusal(), "the configuration gives node 'elsewhere' the format " +
                           std::string(NameOf(GetParam())) + ", but the network has no such node");
  options.node_formats = {{"mm0", std::string(NameOf(GetParam()))}};
  options.precision_mode = "force_fp16";
  options.keep_dtype.clear();
  options.customize_dtypes.clear();
  EXPECT_EQ(refusal(), "node 'mm0' cannot compute in " + std::string(NameOf(GetParam())) +
                           ", whose values are float32: its options give it float16");
}

}  // namespace
}  // namespace halftone
