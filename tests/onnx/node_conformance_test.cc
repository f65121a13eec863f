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
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/onnx/reader.h"
#include "src/onnx/tensor_proto.h"
#include "src/passes/fold_constants.h"
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

// Downsampling by scales with align_corners: these tests divide by the unrounded output extent,
// where the specification (Resize 11, coordinate_transformation_mode) has length_resized, which is
// whole. ONNX Runtime differs from them in the same way.
constexpr std::string_view kDisputed[] = {"test_resize_downsample_scales_linear_align_corners",
                                          "test_resize_downsample_scales_cubic_align_corners"};

bool IsDisputed(const fs::path& test) {
  return std::find(std::begin(kDisputed), std::end(kDisputed), test.filename().string()) !=
         std::end(kDisputed);
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
  for (const auto& entry : fs::directory_iterator(*shared / "onnx-node-tests" / GetParam())) {
    if (!entry.is_directory() || IsDisputed(entry.path())) {
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
  for (const auto& [name, count] : counts) {
    add(name, count);
  }
  EXPECT_TRUE(testing::MatchesGolden(text, std::string("onnx/node_tests_") + GetParam() + ".txt"));
}

INSTANTIATE_TEST_SUITE_P(Sets, NodeConformance, ::testing::Values("opset17", "opset18-24"),
                         [](const auto& c) {
                           return std::string(c.param) == "opset17" ? "Opset17" : "Opset18To24";
                         });

}  // namespace
}  // namespace halftone
