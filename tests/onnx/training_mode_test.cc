// Models that were exported for training: statistics of the batch, and Dropout that drops nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/onnx/reader.h"
#include "tests/support/evaluate.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using testing::Evaluation;
using ::testing::HasSubstr;
using testing::ModelWriter;

constexpr double kEpsilon = 1e-3;

ModelWriter NormalisedBatch(const std::vector<std::int64_t>& dims) {
  ModelWriter model(15);
  model.Input("x", dims);
  model.Floats("scale", {2}, {0.5F, -2});
  model.Floats("bias", {2}, {1, 3});
  model.Floats("mean", {2}, {100, 200});  // running ones, which say nothing here
  model.Floats("var", {2}, {300, 400});
  auto& node = model.Node("BatchNormalization", "norm", {"x", "scale", "bias", "mean", "var"},
                          {"y", "mean_out", "var_out"});
  ModelWriter::SetInt(node, "training_mode", 1);
  ModelWriter::SetFloat(node, "epsilon", kEpsilon);
  model.Output("y");
  return model;
}

class BatchStatistics : public ::testing::TestWithParam<std::vector<std::int64_t>> {};

// ONNX: (x - mean) / sqrt(var + epsilon) * scale + bias with the mean and the population variance
// over all axes but that of the channels. Four roundings of float32 on numbers below 8, and sums of
// at most 60 elements.
TEST_P(BatchStatistics, AreThoseOfTheSample) {
  const Graph graph = NormalisedBatch(GetParam()).Import().graph;
  const std::vector<Tensor> inputs = testing::RandomInputs(graph, 3);
  const Evaluation run = testing::Evaluate(graph, inputs);
  ASSERT_EQ(run.missing, "");
  const std::vector<double> x = DoublesOf(inputs[0]);
  const std::vector<double> y = DoublesOf(run.outputs[0]);
  const Shape& shape = inputs[0].shape();
  const std::int64_t pixels = shape.ElementCount(2, shape.rank());
  const auto count = static_cast<double>(shape[0] * pixels);
  const double scale[] = {0.5, -2};
  const double bias[] = {1, 3};
  for (std::int64_t c = 0; c < 2; ++c) {
    const auto channel = [&](std::size_t i) {
      return static_cast<std::int64_t>(i) / pixels % 2 == c;
    };
    double mean = 0;
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      mean += channel(i) ? x[i] / count : 0;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      squares += channel(i) ? (x[i] - mean) * (x[i] - mean) / count : 0;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (channel(i)) {
        const double want = (x[i] - mean) / std::sqrt(squares + kEpsilon) * scale[c] + bias[c];
        EXPECT_NEAR(y[i], want, 64 * 8 * 0x1p-24) << "element " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BatchStatistics,
                         ::testing::Values(std::vector<std::int64_t>{5, 2},
                                           std::vector<std::int64_t>{3, 2, 4},
                                           std::vector<std::int64_t>{1, 2, 5, 6},
                                           std::vector<std::int64_t>{2, 2, 3, 2, 5}),
                         [](const auto& dims) {
                           return "Rank" + std::to_string(dims.param.size());
                         });

std::string ImportError(const ModelWriter& model) {
  try {
    static_cast<void>(model.Import());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    return error.what();
  }
  return "(no error)";
}

TEST(TrainingMode, StatisticsThatAreReadAreRefusedWithAWayOut) {
  ModelWriter model = NormalisedBatch({1, 2, 3, 3});
  model.Output("mean_out");
  EXPECT_THAT(ImportError(model), HasSubstr("export the model for inference, or take them out"));
}

ModelWriter Dropped(bool trains, float ratio) {
  ModelWriter model(13);
  model.Input("x", {2, 3});
  model.Floats("ratio", {}, {ratio});
  auto* training = model.graph().add_initializer();
  training->set_name("training");
  training->set_data_type(onnx::TensorProto::BOOL);
  training->add_int32_data(trains ? 1 : 0);
  model.Node("Dropout", "drop", {"x", "ratio", "training"}, {"y", "mask"});
  model.Output("y");
  model.Output("mask");
  return model;
}

TEST(TrainingMode, DropoutThatDropsNothingIsACopy) {
  for (const auto& [trains, ratio] :
       {std::pair(true, 0.0F), std::pair(false, 0.5F), std::pair(false, 0.0F)}) {
    const Graph graph = Dropped(trains, ratio).Import().graph;
    const std::vector<Tensor> inputs = testing::RandomInputs(graph, 4);
    const Evaluation run = testing::Evaluate(graph, inputs);
    ASSERT_EQ(run.missing, "");
    EXPECT_EQ(DoublesOf(run.outputs[0]), DoublesOf(inputs[0]));
    EXPECT_EQ(DoublesOf(run.outputs[1]), std::vector<double>(6, 1));
  }
}

TEST(TrainingMode, DropoutThatDropsIsRefusedWithAWayOut) {
  EXPECT_THAT(ImportError(Dropped(true, 0.25F)),
              HasSubstr("node 'drop' (Dropout): input 'training_mode' is true and 'ratio' is 0.25, "
                        "so that each run drops other elements; export the model for inference, or "
                        "set either to 0"));
}

}  // namespace
}  // namespace halftone
