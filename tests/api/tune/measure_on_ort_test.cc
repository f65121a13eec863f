// Tuning on ONNX Runtime: points are measured there, and their files give there what was promised.
//
// Needs its library (tests/support/runtime_library.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "src/accuracy/dataset.h"
#include "src/accuracy/metrics.h"
#include "src/api/export_plan.h"
#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/exec/executable.h"
#include "src/precision/resolve/resolve.h"
#include "src/runtimes/onnxruntime/low_kernels.h"
#include "src/runtimes/onnxruntime/ort_binding.h"
#include "src/runtimes/onnxruntime/ort_session.h"
#include "tests/support/paths.h"
#include "tests/support/runtime_library.h"

namespace halftone {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::RuntimeLibrary;
using testing::SourceDir;

class MeasureOnOrtTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto library = RuntimeLibrary();
    if (!library) {
      GTEST_SKIP() << "no library of ONNX Runtime";
    }
    library_ = *library;
    const auto digits = SourceDir() / "examples/digits";
    options_.data = {.inputs = digits / "search_inputs.npy", .max_samples = 24};
    options_.measure = {.threads = 1, .quick_budget_s = 0.01, .full_budget_s = 0.01};
    options_.measure.on.runtime = "ort:" + library_.string();
    options_.budget.evaluations = 25;
    options_.heldout_share = 0;
    model_ = LoadModel({.path = digits / "model.onnx", .inputs = options_.data.inputs});
  }

  // Mean SQNR of a file in a plain session, against halftone's float32.
  [[nodiscard]] double SqnrOf(const std::string& bytes, const Dataset& samples) const {
    static const OrtApi kApi(library_);
    const OrtSession session(kApi, std::string_view(bytes), OrtSessionOptions{});
    const Executable float32 = Compile(model_.graph, ReferencePlan(model_.graph));
    Workspace workspace = float32.NewWorkspace();
    AccuracyAccumulator accumulator;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Sample sample = samples.Read(i);
      std::vector<Tensor> expected = float32.NewOutputs();
      float32.Run(workspace, sample.inputs, expected);
      OrtBinding binding(session,
                         {{model_.graph.value(model_.graph.inputs[0]).name, sample.inputs[0]}});
      binding.Run();
      accumulator.Add(SampleOutputs{.reference = expected, .actual = binding.Outputs()});
    }
    return accumulator.Finish().Mean("sqnr_db");
  }

  std::filesystem::path library_;
  TuneOptions options_;
  Model model_;
};

TEST_F(MeasureOnOrtTest, FilesOfPointsGiveThereWhatWasPromised) {
  const TuneSummary summary = Tune(model_, options_);
  EXPECT_THAT(summary.run.runtime, HasSubstr("ONNX Runtime "));
  EXPECT_THAT(summary.warnings, Contains(HasSubstr("float16 is not searched")));
  EXPECT_THAT(summary.warnings, Contains(HasSubstr("bfloat16 is not searched")));
  ASSERT_FALSE(summary.front.points.empty());
  const TargetSpec target = LoadTarget("host");
  const Dataset samples = LoadDataset(model_.graph, options_.data);
  for (const FrontPoint& point : summary.front.points) {
    const Measurement& measurement = point.measurement();
    ASSERT_TRUE(measurement.runtime);
    EXPECT_EQ(measurement.runtime->runtime, summary.run.runtime);
    EXPECT_TRUE(measurement.runtime->own_outputs);
    EXPECT_FALSE(measurement.latency.candidate_samples_s.empty());
    const PrecisionOptions& options = point.trial.candidate.options;
    const RunResult again = RunOnSamples(model_, target, options, samples, options_.measure);
    EXPECT_EQ(again.measurement.accuracy.Mean("sqnr_db"), measurement.accuracy.Mean("sqnr_db"));
  }
}

TEST_F(MeasureOnOrtTest, AnInt8FileGivesInAPlainSessionWhatWasMeasured) {
  const Dataset samples = LoadDataset(model_.graph, options_.data);
  TuneOptions options = options_;
  options.quantize.mode = QuantizeMode::kOnly;
  std::vector<Trial> trials;
  Tune(model_, options, {.on_progress = [&](const TunerProgress& now) {
         trials.assign(now.trials.begin(), now.trials.end());
       }});
  const TargetSpec target = LoadTarget("host");
  std::size_t compared = 0;
  for (const Trial& trial : trials) {
    const Measurement* measurement = trial.measurement();
    if (measurement == nullptr || trial.low_precision_nodes.empty()) {
      continue;
    }
    const ExportedPlan exported =
        ExportPlan(model_, target, trial.candidate.options, ParseExportFormat("onnx-qdq"),
                   {.file = "model.onnx", .patched = {}});
    EXPECT_EQ(SqnrOf(exported.bytes, samples), measurement->accuracy.Mean("sqnr_db"));
    ++compared;
  }
  EXPECT_GE(compared, 2U);
}

TEST_F(MeasureOnOrtTest, KernelsInFloat32AreNotAsAsked) {
  RunResult run = RunOnSamples(model_, LoadTarget("host"), {.precision_mode = "force_fp16"},
                               LoadDataset(model_.graph, options_.data), options_.measure);
  ASSERT_TRUE(run.measurement.runtime);
  EXPECT_FALSE(run.measurement.runtime->as_asked);
  EXPECT_EQ(run.measurement.runtime->low_ran, 0);
  EXPECT_GT(run.measurement.runtime->low_asked, 0);
  EXPECT_THAT(run.measurement.runtime->detail, HasSubstr("0 of "));
}

TEST_F(MeasureOnOrtTest, AProviderThatIsNotThereEndsTheRunInTheRuntimesWords) {
  options_.measure.on.runtime += ",provider=NoSuchProvider";
  try {
    Tune(model_, options_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("NoSuchProvider"));
  }
}

TEST(MeasureOnTest, TextsThatNameNoRuntimeAreRefusedBeforeAnyWork) {
  for (const char* text : {"ort", "onnx:lib", "ort:lib,provider=", "command:", "command:'a"}) {
    TuneOptions options;
    options.measure.on.runtime = text;
    EXPECT_THROW(CheckTuneOptions(options), Error) << text;
  }
}

TEST(MeasureOnTest, ProductsOfAPlanAreCountedInAProfile) {
  const Model model = LoadModel({.path = SourceDir() / "examples/digits/model.onnx"});
  const PrecisionPlan reference = ReferencePlan(model.graph);
  const std::vector<OrtKernel> kernels = {
      {.node = "a", .op = "QLinearConv", .provider = "CPU", .input_types = {"uint8"}},
      {.node = "b", .op = "MatMulIntegerToFloat", .provider = "CPU", .input_types = {"uint8"}},
      {.node = "c", .op = "Conv", .provider = "CUDA", .input_types = {"float16"}},
      {.node = "d", .op = "FusedConv", .provider = "CPU", .input_types = {"float"}},
      {.node = "e", .op = "Relu", .provider = "CPU", .input_types = {"uint8"}}};
  const LowKernels low = CompareKernels(model.graph, reference, kernels);
  EXPECT_EQ(low.asked, 0);
  EXPECT_EQ(low.ran, 3);
  EXPECT_THAT(low.others, ::testing::ElementsAre("4 kernels on CPU", "1 kernel on CUDA"));
  const PrecisionPlan half =
      ResolvePrecision(model.graph, {.precision_mode = "force_fp16"}, LoadTarget("host"));
  EXPECT_EQ(CompareKernels(model.graph, half, kernels).asked, 6);
}

}  // namespace
}  // namespace halftone
