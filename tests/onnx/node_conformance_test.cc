// The node tests of the ONNX project: their inputs become initializers, so that importing the model
// folds it to its outputs, which must be the expected ones. What halftone does not have is refused
// as kUnsupported; anything else that fails is a fault. How many tests of which operator are
// supported is a golden file, so that none becomes refused unnoticed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/onnx/reader.h"
#include "src/onnx/tensor_proto.h"
#include "src/passes/fold/fold_constants.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNotFolded = "not folded";

// Relative and absolute tolerance of the ONNX backend tests for float32 (README of the collection);
// 16-bit results are compared at four units of their roundoff.
bool IsClose(double expected, double actual, DType dtype) {
  if (std::isnan(expected) || std::isinf(expected)) {
    return std::isnan(expected) ? std::isnan(actual) : expected == actual;
  }
  const double relative = dtype == DType::kFloat16    ? 4 * 0x1p-11
                          : dtype == DType::kBFloat16 ? 4 * 0x1p-8
                                                      : 1e-3;
  return std::abs(expected - actual) <= 1e-7 + relative * std::abs(expected);
}

// The first difference; empty: none.
std::string Difference(const Tensor& expected, const Tensor& actual) {
  if (expected.type() != actual.type()) {
    return "expected " + expected.type().ToString() + ", got " + actual.type().ToString();
  }
  const std::vector<double> left = DoublesOf(expected);
  const std::vector<double> right = DoublesOf(actual);
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!IsClose(left[i], right[i], expected.dtype())) {
      return "element " + std::to_string(i) + ": expected " + std::to_string(left[i]) + ", got " +
             std::to_string(right[i]);
    }
  }
  return "";
}

// The model with its inputs as initializers. Inputs that the test leaves out have no file.
fs::path WithConstantInputs(const fs::path& test) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(ReadFile(test / "model.onnx")));
  int file_number = 0;
  for (const auto& input : model.graph().input()) {
    const fs::path file =
        test / "test_data_set_0" / ("input_" + std::to_string(file_number++) + ".pb");
    onnx::TensorProto tensor;
    if (fs::exists(file) && tensor.ParseFromString(ReadFile(file))) {
      tensor.set_name(input.name());
      *model.mutable_graph()->add_initializer() = tensor;
    }
  }
  const fs::path folder = fs::path(::testing::TempDir()) / "halftone_node_conformance";
  CreateFolder(folder);
  std::ofstream(folder / "model.onnx", std::ios::binary | std::ios::trunc)
      << model.SerializeAsString();
  return folder;
}

// "": as expected; kNotFolded or the message of kUnsupported: not here; else what is wrong.
struct Outcome {
  bool supported = true;
  std::string fault;
};

Outcome OutcomeOf(const fs::path& test) {
  try {
    Graph graph = ReadOnnx(WithConstantInputs(test));
    FoldConstants(graph);  // what the importer leaves for the passes
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      const Tensor expected =
          ReadTensorProto(test / "test_data_set_0" / ("output_" + std::to_string(i) + ".pb"));
      const Value& value = graph.value(graph.outputs[i]);
      if (value.type != expected.type()) {
        return {.fault = "expected " + expected.type().ToString() + ", inferred " +
                         value.type.ToString()};
      }
      if (!value.constant) {
        return {.supported = false, .fault = kNotFolded};
      }
      const std::string difference = Difference(expected, *value.constant);
      if (!difference.empty()) {
        return {.fault = difference};
      }
    }
    return {};
  } catch (const Error& error) {
    return {.supported = error.kind() != ErrorKind::kUnsupported, .fault = error.what()};
  }
}

// Tests whose data contradicts the text of the operator's specification:
// docs/reference/models.md, "Resize with align_corners". Values of the output by the text,
// worked out by hand from the inputs 1, 2, 3,
// ... of the tests.
struct DisputedRow {
  std::string_view test;
  std::vector<float> by_the_text;
};

const std::vector<DisputedRow>& Disputed() {
  static const std::vector<DisputedRow> kRows = {
      // [2, 4] to [1, 2]: columns 0 * 3 / 1 = 0 and 1 * 3 / 1 = 3.
      {"test_resize_downsample_scales_linear_align_corners", {1, 4}},
      // [4, 4] to [3, 3]: rows and columns 0, 1.5 and 3. The data is linear, which cubic
      // convolution reproduces in the middle between two samples.
      {"test_resize_downsample_scales_cubic_align_corners",
       {1, 2.5F, 4, 7, 8.5F, 10, 13, 14.5F, 16}},
  };
  return kRows;
}

bool IsDisputed(const fs::path& test) {
  return std::ranges::any_of(
      Disputed(), [&](const DisputedRow& row) { return row.test == test.filename().string(); });
}

// The operator that a test is about.
std::string OperatorOf(const fs::path& test) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(ReadFile(test / "model.onnx")));
  const auto& nodes = model.graph().node();
  return nodes.size() == 1 ? nodes[0].op_type() : "(several nodes)";
}

struct Count {
  int passed = 0;
  int refused = 0;
};

class NodeConformance : public ::testing::TestWithParam<const char*> {};

TEST_P(NodeConformance, SupportedNodesGiveTheExpectedOutputs) {
  const auto shared = testing::SharedDir();
  if (!shared || !fs::exists(*shared / "onnx-node-tests" / GetParam())) {
    GTEST_SKIP() << "no node tests beside the source tree";
  }
  std::map<std::string, Count> counts;
  Count all;
  int disputed = 0;
  for (const auto& entry : fs::directory_iterator(*shared / "onnx-node-tests" / GetParam())) {
    if (!entry.is_directory()) {
      continue;
    }
    if (IsDisputed(entry.path())) {
      ++disputed;
      continue;
    }
    const Outcome outcome = OutcomeOf(entry.path());
    EXPECT_TRUE(!outcome.supported || outcome.fault.empty())
        << entry.path().filename().string() << ": " << outcome.fault;
    EXPECT_NE(outcome.fault, kNotFolded) << entry.path().filename().string();
    for (Count* count : {&counts[OperatorOf(entry.path())], &all}) {
      ++(outcome.supported ? count->passed : count->refused);
    }
  }
  std::string text = "operator: tests passed, refused\n";
  const auto add = [&](const std::string& name, const Count& count) {
    text +=
        name + ": " + std::to_string(count.passed) + ", " + std::to_string(count.refused) + "\n";
  };
  add("all", all);
  text += "disputed: " + std::to_string(disputed) + "\n";
  for (const auto& [name, count] : counts) {
    add(name, count);
  }
  EXPECT_TRUE(testing::MatchesGolden(text, std::string("onnx/node_tests_") + GetParam() + ".txt"));
}

// Interpolation along one axis at `place`, in units of its samples; cubic convolution has a =
// -0.75.
double BlendAt(std::span<const double> line, double place, bool cubic) {
  const double below = std::floor(place);
  const auto at = [&](double i) {
    return line[static_cast<std::size_t>(std::clamp(i, 0.0, static_cast<double>(line.size()) - 1))];
  };
  const double t = place - below;
  if (!cubic) {
    return (1 - t) * at(below) + t * at(below + 1);
  }
  constexpr double kA = -0.75;
  const auto inner = [](double d) { return ((kA + 2) * d - (kA + 3)) * d * d + 1; };
  const auto outer = [](double d) { return ((kA * d - 5 * kA) * d + 8 * kA) * d - 4 * kA; };
  return outer(t + 1) * at(below - 1) + inner(t) * at(below) + inner(1 - t) * at(below + 1) +
         outer(2 - t) * at(below + 2);
}

// `x` [rows, columns] of the tests resized as align_corners has it, where the lengths that divide
// are `length_of(extent, extent of the output)`.
template <typename LengthOf>
std::vector<double> Resized(const Tensor& x, const Shape& output, bool cubic,
                            const LengthOf& length_of) {
  const auto places = [&](std::int64_t extent, std::int64_t resized) {
    std::vector<double> all;
    for (std::int64_t i = 0; i < resized; ++i) {
      all.push_back(i == 0 ? 0
                           : static_cast<double>(i) * static_cast<double>(extent - 1) /
                                 (length_of(extent, resized) - 1));
    }
    return all;
  };
  const std::vector<double> values = DoublesOf(x);
  const std::int64_t rows = x.shape()[2];
  const std::int64_t columns = x.shape()[3];
  std::vector<double> result;
  for (const double row : places(rows, output[2])) {
    for (const double column : places(columns, output[3])) {
      std::vector<double> blended;
      for (std::int64_t r = 0; r < rows; ++r) {
        blended.push_back(BlendAt(
            {&values[static_cast<std::size_t>(r * columns)], static_cast<std::size_t>(columns)},
            column, cubic));
      }
      result.push_back(BlendAt(blended, row, cubic));
    }
  }
  return result;
}

struct DisputedCase {
  Tensor x;
  double scale = 1;  // of both axes
  Tensor expected;   // by the test
  bool cubic = false;
};

DisputedCase ReadDisputed(const fs::path& test) {
  const fs::path data = test / "test_data_set_0";
  // Scales come last; some of the tests have an empty region of interest before them.
  fs::path scales = data / "input_1.pb";
  if (fs::exists(data / "input_2.pb")) {
    scales = data / "input_2.pb";
  }
  return {.x = ReadTensorProto(data / "input_0.pb"),
          .scale = DoublesOf(ReadTensorProto(scales)).back(),
          .expected = ReadTensorProto(data / "output_0.pb"),
          .cubic = test.filename().string().find("cubic") != std::string::npos};
}

void ExpectNear(const std::vector<double>& expected, const std::vector<double>& actual) {
  ASSERT_EQ(expected.size(), actual.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(expected[i], actual[i], 1e-6 * std::abs(expected[i])) << "element " << i;
  }
}

TEST_P(NodeConformance, AlignCornersDividesByTheLengthOfTheResizedTensor) {
  const auto shared = testing::SharedDir();
  if (!shared || !fs::exists(*shared / "onnx-node-tests" / GetParam())) {
    GTEST_SKIP() << "no node tests beside the source tree";
  }
  for (const DisputedRow& row : Disputed()) {
    SCOPED_TRACE(row.test);
    const fs::path test = *shared / "onnx-node-tests" / GetParam() / row.test;
    Graph graph = ReadOnnx(WithConstantInputs(test));
    FoldConstants(graph);
    const Value& output = graph.value(graph.outputs.front());
    ASSERT_TRUE(output.constant);
    ExpectNear({row.by_the_text.begin(), row.by_the_text.end()}, DoublesOf(*output.constant));
    // The text's formula, and what the data of the test has in its place: nothing else differs.
    const DisputedCase disputed = ReadDisputed(test);
    const Shape& shape = disputed.expected.shape();
    ExpectNear(
        Resized(disputed.x, shape, disputed.cubic,
                [](std::int64_t, std::int64_t resized) { return static_cast<double>(resized); }),
        DoublesOf(*output.constant));
    ExpectNear(Resized(disputed.x, shape, disputed.cubic,
                       [&](std::int64_t extent, std::int64_t) {
                         return disputed.scale * static_cast<double>(extent);
                       }),
               DoublesOf(disputed.expected));
    // The last corner of the input is that of the output, which gives the mode its name.
    EXPECT_EQ(DoublesOf(*output.constant).back(),
              disputed.cubic ? DoublesOf(disputed.x).back() : 4);
    EXPECT_LT(DoublesOf(disputed.expected).back(), DoublesOf(*output.constant).back());
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, NodeConformance, ::testing::Values("opset17", "opset18-24"),
                         [](const auto& c) {
                           return std::string(c.param) == "opset17" ? "Opset17" : "Opset18To24";
                         });

}  // namespace
}  // namespace halftone
