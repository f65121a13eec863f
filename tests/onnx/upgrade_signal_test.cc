// DFT, STFT and windows as constants and products.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "src/base/rng.h"
#include "src/onnx/tracer.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using ::halftone::testing::ModelWriter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Complex = std::complex<double>;

Tensor RandomFloats(Shape shape) {
  Rng rng(1);
  Tensor tensor(DType::kFloat32, std::move(shape));
  for (float& value : tensor.mutable_values<float>()) {
    value = static_cast<float>(rng.Uniform(-1, 1));
  }
  return tensor;
}

std::vector<double> OutputOf(const Graph& graph, const Tensor& x) {
  Tracer tracer([&](const Graph&) { return std::vector<Tensor>{x}; });
  return DoublesOf(tracer.ValueOf(graph, graph.outputs.at(0)));
}

std::string MessageOf(const ModelWriter& writer) {
  try {
    static_cast<void>(writer.Import());
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

void AddScalar(ModelWriter& writer, const std::string& name, std::int64_t value) {
  auto* tensor = writer.graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::INT64);
  tensor->add_int64_data(value);
}

// The definition.
std::vector<Complex> Bins(const std::vector<Complex>& x, std::int64_t length, bool inverse) {
  std::vector<Complex> bins;
  for (std::int64_t k = 0; k < length; ++k) {
    Complex sum = 0;
    for (std::size_t n = 0; n < x.size() && n < static_cast<std::size_t>(length); ++n) {
      sum += x[n] * std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(n) *
                                        static_cast<double>(k) / static_cast<double>(length));
    }
    bins.push_back(inverse ? sum / static_cast<double>(length) : sum);
  }
  return bins;
}

// |values| <= 1: a sum of n products in float32, with a rounded matrix; the definition's angles.
double Allowed(std::int64_t terms) {
  return static_cast<double>(terms * (terms + 2)) * 0x1p-24 + 1e-12;
}

struct Case {
  const char* name;
  std::int64_t opset;
  std::int64_t axis;  // of x [2, 6, 3, parts]
  std::int64_t parts;
  std::int64_t length;  // 0: not given
  bool inverse;
  bool one_sided;
};

constexpr Case kCases[] = {
    {"Real17", 17, 1, 1, 0, false, false},      {"Complex17", 17, 2, 2, 0, false, false},
    {"Inverse17", 17, 1, 2, 0, true, false},    {"OneSided17", 17, 1, 1, 0, false, true},
    {"Real20", 20, 2, 1, 0, false, false},      {"First20", 20, 0, 2, 0, false, false},
    {"Longer20", 20, 1, 1, 9, false, true},     {"Shorter20", 20, 1, 2, 4, false, false},
    {"Negative20", 20, -3, 1, 5, false, false}, {"InverseLonger20", 20, -2, 2, 4, true, false},
};

class DftTest : public ::testing::TestWithParam<Case> {};

TEST_P(DftTest, IsTheDefinition) {
  const Case& c = GetParam();
  ModelWriter writer(c.opset);
  writer.Input("x", {2, 6, 3, c.parts});
  AddScalar(writer, "length", c.length);
  AddScalar(writer, "axis", c.axis);
  const char* length = c.length > 0 ? "length" : "";
  auto& node = c.opset < 20 ? writer.Node("DFT", "dft", {"x", length}, {"y"})
                            : writer.Node("DFT", "dft", {"x", length, "axis"}, {"y"});
  if (c.opset < 20) {
    ModelWriter::SetInt(node, "axis", c.axis);
  }
  ModelWriter::SetInt(node, "inverse", c.inverse);
  ModelWriter::SetInt(node, "onesided", c.one_sided);
  writer.Output("y");
  const Graph graph = writer.Import().graph;
  const Shape& y = graph.value(graph.outputs[0]).type.shape;
  const Tensor x = RandomFloats({2, 6, 3, c.parts});
  const std::vector<double> values = DoublesOf(x);
  const std::vector<double> got = OutputOf(graph, x);
  const int axis = NormalizeAxis(c.axis, 4);
  const std::int64_t given = x.shape()[axis];
  const std::int64_t count = c.length > 0 ? c.length : given;
  const std::int64_t bins = c.one_sided ? count / 2 + 1 : count;
  Shape expected = x.shape();
  expected[axis] = bins;
  expected[3] = 2;
  ASSERT_EQ(y, expected);
  const std::int64_t inner = x.shape().ElementCount(axis + 1, 3);
  for (std::int64_t row = 0; row < x.shape().ElementCount(0, axis) * inner; ++row) {
    std::vector<Complex> line;
    for (std::int64_t n = 0; n < given; ++n) {
      const auto at =
          static_cast<std::size_t>(((row / inner * given + n) * inner + row % inner) * c.parts);
      line.emplace_back(values[at], c.parts == 2 ? values[at + 1] : 0);
    }
    const std::vector<Complex> want = Bins(line, count, c.inverse);
    for (std::int64_t k = 0; k < bins; ++k) {
      const auto at =
          static_cast<std::size_t>(((row / inner * bins + k) * inner + row % inner) * 2);
      EXPECT_NEAR(got[at], want[static_cast<std::size_t>(k)].real(), Allowed(2 * given));
      EXPECT_NEAR(got[at + 1], want[static_cast<std::size_t>(k)].imag(), Allowed(2 * given));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, DftTest, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

// Frames of 4 every 3 of 11 samples: three frames; a window by constant or computed.
TEST(Stft, IsTheTransformOfWindowedFrames) {
  for (const bool constant : {true, false}) {
    ModelWriter writer(17);
    writer.Input("x", {2, 11, 1});
    AddScalar(writer, "step", 3);
    writer.Floats("w", {4}, {0.5F, 1, 2, -1});
    if (!constant) {
      writer.Input("v", {4});
      writer.Node("Relu", "relu", {"v"}, {"u"});
    }
    writer.Node("STFT", "stft", {"x", "step", constant ? "w" : "u"}, {"y"});
    writer.Output("y");
    const Graph graph = writer.Import().graph;
    EXPECT_EQ(graph.value(graph.outputs[0]).type.ToString(), "float32 2x3x3x2");
    const Tensor x = RandomFloats({2, 11, 1});
    Tracer tracer([&](const Graph&) {
      std::vector<Tensor> inputs = {x};
      if (!constant) {
        inputs.push_back(Tensor::From<float>({4}, std::vector<float>{0.5F, 1, 2, 3}));
      }
      return inputs;
    });
    const std::vector<double> got = DoublesOf(tracer.ValueOf(graph, graph.outputs[0]));
    const double window[] = {0.5, 1, 2, constant ? -1.0 : 3.0};
    const std::vector<double> values = DoublesOf(x);
    for (std::size_t frame = 0; frame < 6; ++frame) {
      std::vector<Complex> line;
      for (std::size_t n = 0; n < 4; ++n) {
        line.emplace_back(values[frame / 3 * 11 + frame % 3 * 3 + n] * window[n], 0);
      }
      const std::vector<Complex> want = Bins(line, 4, false);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(got[(frame * 3 + k) * 2], want[k].real(), 3 * Allowed(8));
        EXPECT_NEAR(got[(frame * 3 + k) * 2 + 1], want[k].imag(), 3 * Allowed(8));
      }
    }
  }
}

std::vector<double> WindowOf(const char* type, bool periodic) {
  ModelWriter writer(17);
  writer.Input("x", {4});
  AddScalar(writer, "size", 4);
  ModelWriter::SetInt(writer.Node(type, "window", {"size"}, {"w"}), "periodic", periodic);
  writer.Node("Mul", "mul", {"x", "w"}, {"y"});
  writer.Output("y");
  return OutputOf(writer.Import().graph, Tensor::From<float>({4}, std::vector<float>(4, 1)));
}

TEST(Windows, AreConstants) {
  const auto near = [](std::initializer_list<double> values) {
    return ::testing::Pointwise(::testing::DoubleNear(1e-7), std::vector<double>(values));
  };
  EXPECT_THAT(WindowOf("HannWindow", true), near({0, 0.5, 1, 0.5}));
  EXPECT_THAT(WindowOf("HannWindow", false), near({0, 0.75, 0.75, 0}));
  EXPECT_THAT(WindowOf("HammingWindow", true), near({4.0 / 46, 25.0 / 46, 1, 25.0 / 46}));
  EXPECT_THAT(WindowOf("BlackmanWindow", true), near({0, 0.34, 1, 0.34}));
}

TEST(Signals, WhatDoesNotFitIsAnError) {
  ModelWriter last(17);
  last.Input("x", {2, 6, 1});
  ModelWriter::SetInt(last.Node("DFT", "dft", {"x"}, {"y"}), "axis", 2);
  last.Output("y");
  EXPECT_THAT(MessageOf(last),
              HasSubstr("transforms along the last axis, and one-sided ones that are inverse or of "
                        "complex values, are not supported"));
  ModelWriter parts(17);
  parts.Input("x", {2, 6, 3});
  parts.Node("DFT", "dft", {"x"}, {"y"});
  parts.Output("y");
  EXPECT_THAT(MessageOf(parts), HasSubstr("expected a length of 1 to 1048576 and a last axis of 1 "
                                          "or 2, got 6 and 3"));
  ModelWriter large(17);
  large.Input("x", {1, 1000000, 1});
  large.Node("DFT", "dft", {"x"}, {"y"});
  large.Output("y");
  EXPECT_THAT(
      MessageOf(large),
      HasSubstr("the node needs a constant of 2000000000000 elements, at most 268435456 are "
                "made up: compute it outside of the model"));
  ModelWriter frames(17);
  frames.Input("x", {1, 3, 1});
  AddScalar(frames, "step", 1);
  frames.Floats("w", {4}, {1, 1, 1, 1});
  frames.Node("STFT", "stft", {"x", "step", "w"}, {"y"});
  frames.Output("y");
  EXPECT_THAT(MessageOf(frames), HasSubstr("got steps of 1, frames of 4, a window of 4 and a "
                                           "signal of 3"));
}

}  // namespace
}  // namespace halftone
