// --quantize=for:TARGET: a QDQ file for another runtime, chosen by accuracy and a model of costs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/api/halftone.h"
#include "src/api/load/traced_samples.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/exec/executable.h"
#include "src/export/onnx_qdq.h"
#include "src/precision/plan_formats.h"
#include "src/precision/resolve/resolve.h"
#include "src/target/destinations.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class DestinationTest : public ::testing::Test {
 protected:
  DestinationTest() {
    const fs::path digits = testing::SourceDir() / "examples/digits";
    fs::remove_all(folder_);
    options_.data = {.inputs = digits / "search_inputs.npy", .max_samples = 24};
    options_.heldout = {.inputs = digits / "heldout_inputs.npy", .max_samples = 24};
    options_.max_trials = 20;
    options_.confidence.reset();
    options_.measure.threads = 1;
    options_.output = folder_ / "out";
  }

  ~DestinationTest() override { fs::remove_all(folder_); }

  TuneSummary TuneFor(std::string_view quantize) {
    QuantizeRequest request = ParseQuantize(quantize, {});
    options_.quantize.mode = request.mode;
    options_.target = request.target;
    const FusionSwitches switches = LoadFusionSwitches("", options_.target);
    model_ = LoadModel({.path = testing::SourceDir() / "examples/digits/model.onnx",
                        .inputs = options_.data.inputs,
                        .fusions_off = switches.off,
                        .fusion_switches = switches.file});
    return Tune(model_, options_, {});
  }

  [[nodiscard]] PrecisionPlan PlanOf(const TuneSummary& summary) const {
    return ResolvePrecision(model_.graph, summary.front.chosen_point().trial.candidate.options,
                            LoadTarget(options_.target));
  }

  // Power of the float32 outputs over that of the difference to them, on the held-out samples.
  [[nodiscard]] double SqnrOf(const Graph& graph, const PrecisionPlan& plan) const {
    const Dataset data = LoadSamples(model_, *options_.heldout);
    double signal = 0;
    double noise = 0;
    for (std::size_t s = 0; s < data.size(); ++s) {
      const std::vector<double> exact = Outputs(model_.graph, ReferencePlan(model_.graph), data, s);
      const std::vector<double> other = Outputs(graph, plan, data, s);
      for (std::size_t i = 0; i < exact.size(); ++i) {
        signal += exact[i] * exact[i];
        noise += (exact[i] - other[i]) * (exact[i] - other[i]);
      }
    }
    return 10 * std::log10(signal / noise);
  }

  static std::vector<double> Outputs(const Graph& graph, const PrecisionPlan& plan,
                                     const Dataset& data, std::size_t sample) {
    const Executable executable = Compile(graph, plan, {});
    Workspace workspace = executable.NewWorkspace();
    std::vector<Tensor> outputs = executable.NewOutputs();
    executable.Run(workspace, data.Read(sample).inputs, outputs);
    return DoublesOf(outputs[0]);
  }

  fs::path folder_ = fs::path(::testing::TempDir()) /
                     (std::string("halftone_destination_test_") +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name());
  TuneOptions options_;
  Model model_;
};

std::int64_t ScaledNodes(const PrecisionPlan& plan) {
  return std::ranges::count_if(
      plan.nodes, [](const NodePrecision& node) { return node.compute_format().is_scaled(); });
}

// docs/guide/exporting.md: the error of a QDQ file is within 6 dB of that of its plan.
constexpr double kFileBoundDb = 6;

class EachDestination : public DestinationTest,
                        public ::testing::WithParamInterface<std::string> {};

TEST_P(EachDestination, APointInTheBoundIsThereWithItsFile) {
  options_.constraints.min_sqnr_db = 25;
  const TuneSummary summary = TuneFor("for:" + GetParam());
  ASSERT_TRUE(summary.front.chosen);
  const FrontPoint& point = summary.front.chosen_point();
  const Destination& destination = *FindDestination(GetParam());
  EXPECT_TRUE(point.measurement().latency.is_predicted());
  EXPECT_GE(point.measurement().accuracy.Find("sqnr_db")->mean, 25);
  EXPECT_GT(point.scaled_share, 0);
  EXPECT_LT(point.measurement().latency.ratio, 1);
  const PrecisionPlan plan = PlanOf(summary);
  EXPECT_GT(ScaledNodes(plan), 0);
  for (const NodePrecision& node : plan.nodes) {
    EXPECT_FALSE(IsIn16Bits(node.compute_format()));
  }
  // Said once for screen, page and programs.
  const std::string sentence = fmt::format(
      "Chosen by accuracy and the cost model of {} ({:.0f} % of the multiply-adds in 8 bits, "
      "predicted {:.2f}x); nothing was timed.",
      destination.runtime, 100 * point.scaled_share, point.measurement().latency.speed_up());
  EXPECT_THAT(FormatConsole(summary, {}), HasSubstr(sentence));
  const auto json = nlohmann::json::parse(ReadFile(folder_ / "out/front.json"));
  EXPECT_THAT(json.at("outcome").at("verdict").get<std::string>(), HasSubstr(sentence));
  EXPECT_EQ(json.at("target").at("cost_model"), destination.runtime);
  EXPECT_EQ(json.at("target").at("latency_measured_on"), "nothing: predicted");
  // The file says the plan, in the flavour of the runtime, and without a loss.
  const fs::path file = folder_ / "out" / point.folder / "model_qdq.onnx";
  ASSERT_TRUE(fs::exists(file));
  const auto record = nlohmann::json::parse(ReadFile(file.string() + ".export.json"));
  EXPECT_EQ(record.at("format"), fmt::format("onnx-qdq:flavour={}", destination.flavour));
  EXPECT_EQ(record.at("plan"), plan.Digest().ToHex());
  EXPECT_TRUE(record.at("losses").empty()) << record.at("losses").dump();
  const Model of_file = LoadModel({.path = file, .inputs = options_.data.inputs});
  EXPECT_NEAR(SqnrOf(of_file.graph, ReferencePlan(of_file.graph)), SqnrOf(model_.graph, plan),
              kFileBoundDb);
}

INSTANTIATE_TEST_SUITE_P(Rows, EachDestination, ::testing::ValuesIn(DestinationNames()),
                         [](const auto& row) { return row.param; });

TEST_F(DestinationTest, TheBoundDecidesHowMuchIsIn8Bits) {
  options_.constraints.min_sqnr_db = 20;
  const TuneSummary loose = TuneFor("for:ort");
  options_.constraints.min_sqnr_db = 60;
  const TuneSummary tight = TuneFor("for:ort");
  ASSERT_TRUE(loose.front.chosen && tight.front.chosen);
  EXPECT_LT(ScaledNodes(PlanOf(tight)), ScaledNodes(PlanOf(loose)));
  EXPECT_LT(tight.front.chosen_point().scaled_share, loose.front.chosen_point().scaled_share);
  EXPECT_GE(tight.front.chosen_point().measurement().accuracy.Find("sqnr_db")->mean, 60);
}

// Float32 has an SQNR of at most 200 dB.
TEST_F(DestinationTest, ABoundThatNothingMeetsIsSaid) {
  options_.constraints.min_sqnr_db = 300;
  const TuneSummary summary = TuneFor("for:tensorrt");
  EXPECT_FALSE(summary.front.chosen);
  EXPECT_EQ(summary.outcome.end, RunEnd::kNoneMeets);
  EXPECT_THAT(summary.outcome.verdict.sentence,
              StartsWith("No configuration meets an SQNR of at least 300 dB."));
}

// A device that is a target already is that target with 8 bits searched.
TEST_F(DestinationTest, ADeviceIsItsTarget) {
  options_.constraints.min_sqnr_db = 20;
  const TuneSummary summary = TuneFor("for:cloud_ai_100");
  EXPECT_EQ(summary.run.target, "cloud_ai_100");
  EXPECT_EQ(summary.run.cost_model, "cloud_ai_100");
  ASSERT_TRUE(summary.front.chosen);
  EXPECT_THAT(summary.outcome.verdict.sentence, HasSubstr("the cost model of cloud_ai_100 ("));
}

// What one runtime was asked for answers nobody else.
TEST_F(DestinationTest, BanksKeepRuntimesApart) {
  options_.bank = folder_ / "bank";
  options_.output.clear();
  options_.max_trials = 6;
  static_cast<void>(TuneFor("for:ort"));
  EXPECT_TRUE(fs::exists(DatabasePath(options_.bank, "ort")));
  EXPECT_GT(TuneFor("for:ort").search.known, 0U);
  EXPECT_EQ(TuneFor("for:ort_avx2").search.known, 0U);
  EXPECT_TRUE(fs::exists(DatabasePath(options_.bank, "ort_avx2")));
  EXPECT_FALSE(fs::exists(DatabasePath(options_.bank, "host")));
}

std::string UsageOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "nothing was refused";
}

TEST_F(DestinationTest, ValuesOfQuantize) {
  EXPECT_EQ(ParseQuantize("", {}).mode, std::nullopt);
  EXPECT_EQ(ParseQuantize("only", {}).mode, QuantizeMode::kOnly);
  EXPECT_EQ(ParseQuantize("off", {.soc_version = "host"}).target.soc_version, "host");
  const QuantizeRequest ort = ParseQuantize("for:ort", {.soc_version = "ort"});
  EXPECT_EQ(ort.mode, QuantizeMode::kOn);
  EXPECT_EQ(ort.target.soc_version, "ort");
  EXPECT_EQ(ParseQuantize("for:Ascend310P3", {}).target.soc_version, "Ascend310P3");
  EXPECT_THAT(UsageOf([] { ParseQuantize("yes", {}); }),
              StartsWith("--quantize=yes: expected one of off, on, only, or for: and a target"));
  EXPECT_THAT(UsageOf([] { ParseQuantize("for:openvin", {}, "quantize"); }),
              ::testing::AllOf(StartsWith("quantize=for:openvin: expected a runtime that reads QDQ "
                                          "files, one of ort, ort_avx2, openvino"),
                               HasSubstr("; close: openvino")));
  EXPECT_THAT(UsageOf([] { ParseQuantize("for:host", {}); }), HasSubstr("expected a runtime"));
  EXPECT_EQ(UsageOf([] { ParseQuantize("for:ort", {.soc_version = "Ascend310P3"}); }),
            "--quantize=for:ort names the target ort, and --soc_version=Ascend310P3 another; leave "
            "one of them out");
}

TEST_F(DestinationTest, OptionsThatContradictACostModel) {
  options_.target.soc_version = "ort";
  options_.measure.on.runtime = "command:true";
  EXPECT_EQ(UsageOf([&] { CheckTuneOptions(options_); }),
            "target ort is a cost model, by which nothing is timed, but --measure=command:true "
            "times plans; leave one of them out");
  options_.measure.on.runtime.clear();
  options_.modes = {"force_fp16"};
  EXPECT_EQ(UsageOf([&] { CheckTuneOptions(options_); }),
            "--precision_mode=force_fp16: target ort computes in 8 bits and float32 alone; leave "
            "the mode out");
  options_.modes.clear();
  options_.target.ops_info = "library";
  EXPECT_EQ(UsageOf([&] { CheckTuneOptions(options_); }),
            "E10001: --ops_info=library: an operator library describes an Ascend device, "
            "--soc_version=ort ONNX Runtime on a CPU with AVX-512 VNNI; leave one of them out");
  options_.target.ops_info.clear();
  const Model fused = LoadModel({.path = testing::SourceDir() / "examples/digits/model.onnx",
                                 .inputs = options_.data.inputs});
  EXPECT_THAT(UsageOf([&] { static_cast<void>(Tune(fused, options_, {})); }),
              StartsWith("target ort does not fuse as the network was read: fusion "));
}

}  // namespace
}  // namespace halftone
