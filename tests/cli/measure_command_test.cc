// Files that halftone exports, measured by a program that reads them like any runtime
// (kernels_runtime.cc), and by halftone itself behind examples/measure/halftone_run.sh.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/shell_words.h"
#include "src/exec/executable.h"
#include "src/export/onnx_mixed.h"
#include "src/onnx/reader.h"
#include "src/runtimes/command/command_runtime.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

class MeasureCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const TensorType type = network_.value(network_.inputs[0]).type;
    std::vector<Sample> samples;
    for (int i = 0; i < 3; ++i) {
      Tensor tensor(type);
      for (float& value : tensor.mutable_values<float>()) {
        value = static_cast<float>(i) / 4 + 0.125F;
      }
      samples.push_back({.name = "s", .inputs = {tensor}});
    }
    samples_ = Dataset(std::move(samples));
  }

  PlanFilesWriter Writer() {
    return [this](const PrecisionPlan& plan, const std::filesystem::path& folder, bool /*all*/) {
      if (plan == ReferencePlan(network_)) {
        return PlanFiles{.model = model_, .notes = {}};
      }
      const MixedModel mixed = WriteOnnxMixed(model_, network_, plan);
      WriteFileAtomically(folder / "model.onnx", mixed.bytes);
      return PlanFiles{.model = folder / "model.onnx", .notes = mixed.notes};
    };
  }

  // Every operator in float16.
  [[nodiscard]] PrecisionPlan Half() const {
    PrecisionPlan plan = ReferencePlan(network_);
    for (NodePrecision& node : plan.nodes) {
      for (auto* const formats : {&node.inputs, &node.outputs}) {
        for (NumericFormat& format : *formats) {
          format = format == DType::kFloat32 ? NumericFormat(DType::kFloat16) : format;
        }
      }
    }
    return plan;
  }

  std::vector<Tensor> Run(CommandRuntime& runtime, BuiltPlan& plan) {
    std::vector<Tensor> first;
    const auto outcome =
        runtime.Run(plan, samples_, [&](std::size_t sample, std::vector<Tensor> outputs) {
          if (sample == 0) {
            first = std::move(outputs);
          }
          return true;
        });
    EXPECT_TRUE(std::holds_alternative<RuntimeOutputs>(outcome));
    return first;
  }

  std::filesystem::path model_ = testing::SourceDir() / "examples/digits/model.onnx";
  Graph network_ = ReadOnnx(model_);
  Dataset samples_;
};

TEST_F(MeasureCommandTest, AProgramThatObeysTheTypesOfTheFile) {
  const char* const program = std::getenv("HALFTONE_KERNELS_RUNTIME");
  if (program == nullptr) {
    GTEST_SKIP() << "SKIPPED: HALFTONE_KERNELS_RUNTIME names the program; ctest sets it";
  }
  const auto runtime =
      MakeCommandRuntime(network_, Writer(), samples_, ParseCommandOptions(ShellWord(program)));
  EXPECT_EQ(runtime->SelfTest().size(), 1U);  // its outputs were checked
  EXPECT_THAT(runtime->description(), ::testing::EndsWith(", halftone's kernels"));

  const auto reference =
      std::get<std::shared_ptr<BuiltPlan>>(runtime->Build(ReferencePlan(network_)));
  const Tensor right = Run(*runtime, *reference).at(0);
  const Executable own = Compile(network_, ReferencePlan(network_));
  const Tensor ours = own.Run(samples_.Read(0).inputs).at(0);
  ASSERT_EQ(right.type(), ours.type());
  double largest = 0;
  for (std::int64_t i = 0; i < right.ElementCount(); ++i) {
    largest = std::max(largest, std::abs(DoubleAt(DType::kFloat32, ours.data(), i)));
  }

  const auto half = std::get<std::shared_ptr<BuiltPlan>>(runtime->Build(Half()));
  const auto timed = runtime->Time(*half, {.budget_s = 0});
  ASSERT_TRUE(std::holds_alternative<Latency>(timed)) << std::get<Rejection>(timed).reason;
  const Latency& latency = std::get<Latency>(timed);
  EXPECT_GT(latency.ratio, 0);
  EXPECT_LE(latency.ratio_interval.low, latency.ratio);
  EXPECT_GE(latency.ratio_interval.high, latency.ratio);
  EXPECT_GT(half->facts().build_s, 0);

  // float16 rounds each of some 10 steps by half a unit of 2^-11 of values no larger than those of
  // a convolution: other bits than float32, and near to it.
  const Tensor rounded = Run(*runtime, *half).at(0);
  double difference = 0;
  for (std::int64_t i = 0; i < right.ElementCount(); ++i) {
    difference = std::max(difference, std::abs(DoubleAt(DType::kFloat32, rounded.data(), i) -
                                               DoubleAt(DType::kFloat32, right.data(), i)));
  }
  EXPECT_GT(difference, 0);
  EXPECT_LT(difference, largest / 10);
}

TEST_F(MeasureCommandTest, HalftoneBehindItsWrapper) {
  const std::filesystem::path script = testing::SourceDir() / "examples/measure/halftone_run.sh";
  ::setenv("HALFTONE", HALFTONE_BINARY, 1);
  const auto runtime = MakeCommandRuntime(network_, Writer(), samples_,
                                          ParseCommandOptions("sh " + ShellWord(script.string())));
  const auto half = std::get<std::shared_ptr<BuiltPlan>>(runtime->Build(Half()));
  const auto timed = runtime->Time(*half, {.budget_s = 0});
  ::unsetenv("HALFTONE");
  ASSERT_TRUE(std::holds_alternative<Latency>(timed)) << std::get<Rejection>(timed).reason;
  EXPECT_GT(std::get<Latency>(timed).median_s, 0);
  EXPECT_EQ(std::get<RuntimeOutputs>(
                runtime->Run(*half, samples_, [](auto, const auto&) { return true; })),
            RuntimeOutputs::kNone);
}

}  // namespace
}  // namespace halftone
