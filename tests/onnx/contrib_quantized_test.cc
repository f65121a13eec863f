// Operators of com.microsoft on quantised data: what they compute, worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/base/error.h"
#include "src/onnx/tracer.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using ::halftone::testing::ModelWriter;
using ::testing::ElementsAre;

constexpr int kUInt8 = onnx::TensorProto::UINT8;
constexpr int kInt32 = onnx::TensorProto::INT32;

Tensor Floats(Shape shape, const std::vector<float>& values) {
  return Tensor::From<float>(std::move(shape), values);
}

std::vector<std::vector<double>> OutputsOf(const ModelWriter& writer,
                                           const std::vector<Tensor>& inputs) {
  const Graph graph = writer.Import().graph;
  Tracer tracer([&](const Graph&) { return inputs; });
  std::vector<std::vector<double>> outputs;
  for (const ValueId id : graph.outputs) {
    outputs.push_back(DoublesOf(tracer.ValueOf(graph, id)));
  }
  return outputs;
}

onnx::NodeProto& Contrib(ModelWriter& writer, const std::string& type,
                         std::initializer_list<const char*> inputs,
                         std::initializer_list<const char*> outputs) {
  auto& node = writer.Node(type, "node", inputs, outputs);
  node.set_domain("com.microsoft");
  return node;
}

void AddByte(ModelWriter& writer, const char* name, int value) {
  auto* tensor = writer.graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(kUInt8);
  tensor->add_int32_data(value);
}

void AddScale(ModelWriter& writer, const char* name, float value) {
  writer.Floats(name, {}, {value});
}

// a [2, 2] uint8 of scale 0.5 and zero 10, another scale 0.25 and zero 20.
ModelWriter Quantised() {
  ModelWriter writer(20);
  writer.Input("a", {2, 2}, kUInt8);
  AddScale(writer, "sa", 0.5F);
  AddByte(writer, "za", 10);
  AddScale(writer, "sy", 0.25F);
  AddByte(writer, "zy", 20);
  writer.Output("y");
  return writer;
}

const std::vector<Tensor> kBytes = {
    Tensor::From<std::uint8_t>({2, 2}, std::vector<std::uint8_t>{10, 12, 4, 255})};

TEST(ContribQuantized, QLinearElementwise) {
  // 0, 1, -3, 122.5.
  ModelWriter add = Quantised();
  Contrib(add, "QLinearAdd", {"a", "sa", "za", "a", "sa", "za", "sy", "zy"}, {"y"});
  EXPECT_THAT(OutputsOf(add, kBytes)[0], ElementsAre(20, 28, 0, 255));
  ModelWriter mul = Quantised();
  Contrib(mul, "QLinearMul", {"a", "sa", "za", "a", "sa", "za", "sy"}, {"y"});
  EXPECT_THAT(OutputsOf(mul, kBytes)[0], ElementsAre(0, 4, 36, 255));
  ModelWriter leaky = Quantised();
  ModelWriter::SetFloat(Contrib(leaky, "QLinearLeakyRelu", {"a", "sa", "za", "sy", "zy"}, {"y"}),
                        "alpha", 0.5F);
  EXPECT_THAT(OutputsOf(leaky, kBytes)[0], ElementsAre(20, 24, 14, 255));
  ModelWriter concat = Quantised();
  ModelWriter::SetInt(
      Contrib(concat, "QLinearConcat", {"sy", "zy", "a", "sa", "za", "a", "sy", "zy"}, {"y"}),
      "axis", 1);
  EXPECT_THAT(OutputsOf(concat, kBytes)[0], ElementsAre(20, 24, 10, 12, 8, 255, 4, 255));
}

TEST(ContribQuantized, QGemmAddsItsBiasInUnitsOfTheProduct) {
  for (const bool quantised : {false, true}) {
    ModelWriter writer = Quantised();
    auto* c = writer.graph().add_initializer();
    c->set_name("c");
    c->set_data_type(kInt32);
    c->add_dims(2);
    c->add_int32_data(8);
    c->add_int32_data(-4);
    auto& node =
        quantised
            ? Contrib(writer, "QGemm", {"a", "sa", "za", "a", "sa", "za", "c", "sy", "zy"}, {"y"})
            : Contrib(writer, "QGemm", {"a", "sa", "za", "a", "sa", "za", "c"}, {"y"});
    ModelWriter::SetInt(node, "transB", 1);
    // (0, 1, -3, 4) by itself, transposed: 1, 4, 4, 25; the bias is 2 and -1.
    const std::vector<Tensor> inputs = {
        Tensor::From<std::uint8_t>({2, 2}, std::vector<std::uint8_t>{10, 12, 4, 18})};
    const auto got = OutputsOf(writer, inputs)[0];
    if (quantised) {
      EXPECT_THAT(got, ElementsAre(32, 32, 44, 116));
    } else {
      EXPECT_THAT(got, ElementsAre(3, 3, 6, 24));
    }
  }
}

TEST(ContribQuantized, IntegerProductsWithTheirScales) {
  ModelWriter writer = Quantised();
  writer.Floats("bias", {2}, {100, 200});
  Contrib(writer, "MatMulIntegerToFloat", {"a", "a", "sa", "sy", "za", "zy", "bias"}, {"y"});
  // (0 2; -6 245) by (-10 -8; -16 235), an eighth of it.
  EXPECT_THAT(OutputsOf(writer, kBytes)[0],
              ElementsAre(96, 258.75, -382.5, 200 + (48.0 + 245 * 235) / 8));

  ModelWriter dynamic(20);
  dynamic.Input("x", {2, 3});
  dynamic.Output("y");
  AddScale(dynamic, "s", 1);
  auto* weights = dynamic.graph().add_initializer();
  weights->set_name("q");
  weights->set_data_type(onnx::TensorProto::INT8);
  for (const std::int64_t extent : {3, 1}) {
    weights->add_dims(extent);
  }
  for (const int value : {1, -2, 3}) {
    weights->add_int32_data(value);
  }
  Contrib(dynamic, "DynamicQuantizeMatMul", {"x", "q", "s"}, {"y"});
  // A range of 5 in 255 steps: half a step an element.
  const auto got = OutputsOf(dynamic, {Floats({2, 3}, {0.5F, -2, 3, 1, 0.25F, -1})})[0];
  EXPECT_NEAR(got[0], 13.5, 6 * 2.5 / 255);
  EXPECT_NEAR(got[1], -2.5, 6 * 2.5 / 255);
}

// Columns of 18 numbers in blocks of 16: 4 bits each, with and without zero points.
TEST(ContribQuantized, MatMulNBitsUnpacksItsWeights) {
  for (const bool zeros : {false, true}) {
    ModelWriter writer(20);
    writer.Input("x", {1, 18});
    auto* packed = writer.graph().add_initializer();
    packed->set_name("b");
    packed->set_data_type(kUInt8);
    for (const std::int64_t extent : {2, 2, 8}) {
      packed->add_dims(extent);
    }
    const auto weight = [](std::int64_t n, std::int64_t k) { return (n * 7 + k * 5 + 3) % 16; };
    for (std::int64_t n = 0; n < 2; ++n) {
      for (std::int64_t k = 0; k < 32; k += 2) {
        packed->add_int32_data(static_cast<int>(weight(n, k) + 16 * weight(n, k + 1)));
      }
    }
    writer.Floats("s", {4}, {1, 2, 4, 8});
    auto* points = writer.graph().add_initializer();
    points->set_name("z");
    points->set_data_type(kUInt8);
    points->add_dims(2);
    points->add_int32_data(3 + 16 * 9);
    points->add_int32_data(0 + 16 * 15);
    auto& node = zeros ? Contrib(writer, "MatMulNBits", {"x", "b", "s", "z"}, {"y"})
                       : Contrib(writer, "MatMulNBits", {"x", "b", "s"}, {"y"});
    ModelWriter::SetInt(node, "K", 18);
    ModelWriter::SetInt(node, "N", 2);
    ModelWriter::SetInt(node, "bits", 4);
    ModelWriter::SetInt(node, "block_size", 16);
    writer.Output("y");
    std::vector<float> x(18);
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = static_cast<float>(k % 4) - 1;
    }
    const std::int64_t stated[] = {3, 9, 0, 15};
    std::vector<double> want;
    for (std::int64_t n = 0; n < 2; ++n) {
      double sum = 0;
      for (std::int64_t k = 0; k < 18; ++k) {
        const std::int64_t block = n * 2 + k / 16;
        const std::int64_t zero = zeros ? stated[block] : 8;
        sum += x[static_cast<std::size_t>(k)] * static_cast<double>(weight(n, k) - zero) *
               std::exp2(static_cast<double>(block));
      }
      want.push_back(sum);
    }
    EXPECT_EQ(OutputsOf(writer, {Floats({1, 18}, x)})[0], want);
  }
}

// Two directions of two inputs and one state, one scale for each direction or for each column: the
// LSTM of the weights times their scales.
TEST(ContribQuantized, DynamicQuantizeLstmIsTheLstmOfItsWeights) {
  for (const bool by_column : {false, true}) {
    const std::vector<float> scales =
        by_column ? std::vector<float>{1, 0.5F, 0.25F, 2, 0.5F, 1, 2, 0.125F}
                  : std::vector<float>{0.5F, 0.25F};
    const std::vector<int> zeros = {3, 5};
    const auto scale_of = [&](std::int64_t direction, std::int64_t column) {
      return scales[static_cast<std::size_t>(by_column ? direction * 4 + column : direction)];
    };
    const auto stored = [](std::int64_t direction, std::int64_t row, std::int64_t column) {
      return direction * 3 + row * 2 + column;
    };
    ModelWriter quantised(20);
    ModelWriter plain(20);
    for (const auto& [name, rows] : {std::pair{"w", 2}, std::pair{"r", 1}}) {
      auto* bytes = quantised.graph().add_initializer();
      bytes->set_name(name);
      bytes->set_data_type(kUInt8);
      for (const std::int64_t extent : {2, rows, 4}) {
        bytes->add_dims(extent);
      }
      std::vector<float> turned;
      for (std::int64_t direction = 0; direction < 2; ++direction) {
        for (std::int64_t row = 0; row < rows; ++row) {
          for (std::int64_t column = 0; column < 4; ++column) {
            bytes->add_int32_data(static_cast<int>(stored(direction, row, column)));
          }
        }
        for (std::int64_t column = 0; column < 4; ++column) {
          for (std::int64_t row = 0; row < rows; ++row) {
            const auto zero = zeros[static_cast<std::size_t>(direction)];
            turned.push_back(scale_of(direction, column) *
                             static_cast<float>(stored(direction, row, column) - zero));
          }
        }
      }
      plain.Floats(name, {2, 4, rows}, turned);
      const std::string of = name;
      quantised.Floats("s" + of,
                       by_column ? std::vector<std::int64_t>{2, 4} : std::vector<std::int64_t>{2},
                       scales);
      auto* points = quantised.graph().add_initializer();
      points->set_name("z" + of);
      points->set_data_type(kUInt8);
      points->add_dims(2);
      if (by_column) {
        points->add_dims(4);
      }
      for (int i = 0; i < (by_column ? 8 : 2); ++i) {
        points->add_int32_data(zeros[static_cast<std::size_t>(by_column ? i / 4 : i)]);
      }
    }
    for (ModelWriter* writer : {&quantised, &plain}) {
      writer->Input("x", {3, 1, 2});
      auto& node =
          writer == &plain
              ? writer->Node("LSTM", "node", {"x", "w", "r"}, {"y"})
              : Contrib(*writer, "DynamicQuantizeLSTM",
                        {"x", "w", "r", "", "", "", "", "", "sw", "zw", "sr", "zr"}, {"y"});
      ModelWriter::SetInt(node, "hidden_size", 1);
      ModelWriter::SetText(node, "direction", "bidirectional");
      writer->Output("y");
    }
    const std::vector<Tensor> x = {Floats({3, 1, 2}, {0.5F, -1, 2, 0.25F, -0.5F, 1})};
    EXPECT_EQ(OutputsOf(quantised, x), OutputsOf(plain, x));
  }
}

TEST(ContribQuantized, DynamicQuantizeLstmWantsWeightsOfThreeAxes) {
  ModelWriter writer(20);
  writer.Input("x", {3, 1, 2});
  writer.Input("w", {8, 4}, kUInt8);
  AddScale(writer, "s", 1);
  ModelWriter::SetInt(Contrib(writer, "DynamicQuantizeLSTM",
                              {"x", "w", "w", "", "", "", "", "", "s", "", "s"}, {"y"}),
                      "hidden_size", 1);
  writer.Output("y");
  EXPECT_THAT([&] { static_cast<void>(writer.Import()); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr(
                  "input 1: expected weights [directions, rows, 4 hidden_size], got uint8 8x4")));
}

}  // namespace
}  // namespace halftone
