// The float32 node tests of the ONNX project in float16 and bfloat16: every float tensor of the
// model becomes one of the 16-bit type, and the result must be that of float32 for the same
// (rounded) operands but for the roundings of the operator.
//
// Folding computes with the reference kernels, in double with one rounding: a result differs from
// that of float32 by at most u_T |y| (1 + 2^-13) and half the least subnormal, u_T = 2^-11 or 2^-8.
// Operators that the importer makes of n nodes, or that store between steps, round n times; each
// rounding is relative to a value that is no larger than the sum of magnitudes, bounded here by the
// largest element of operands and results times the number of operands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/onnx/reader.h"
#include "src/onnx/tensor_proto.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// Operators whose result jumps where an operand moves by a rounding, or whose operands are places,
// sizes or counts: rounding those asks for something else. With the reason.
struct Exception {
  std::string_view op;
  std::string_view reason;
};

constexpr Exception kExceptions[] = {
    {"Cast", "converts to the type that an attribute names"},
    {"CastLike", "converts to the type of its operand"},
    {"ConstantOfShape", "makes the type that an attribute names"},
    {"Constant", "reads no operand"},
    {"EyeLike", "makes the type that an attribute names"},
    {"Resize", "scales and regions are float32 in every form"},
    {"NonMaxSuppression", "float32 only"},
    {"RoiAlign", "regions of 16 bits lie elsewhere"},
    {"GridSample", "a grid of 16 bits points elsewhere"},
    {"Range", "counts in steps"},
    {"OneHot", "indices and depth of 16 bits are other numbers"},
    {"Pad", "pads are no floats"},
    {"If", "branches hold types of their own"},
    {"QuantizeLinear", "scales are float32"},
    {"DequantizeLinear", "scales are float32"},
    {"DynamicQuantizeLinear", "float32 only"},
    {"QLinearConv", "scales are float32"},
    {"QLinearMatMul", "scales are float32"},
    {"LayerNormalization", "the statistics stay float32: the types of its outputs differ"},
};

bool IsExcepted(const std::string& op) {
  return std::any_of(std::begin(kExceptions), std::end(kExceptions),
                     [&](const Exception& row) { return row.op == op; });
}

// Roundings of the 16-bit type that the operator makes.
double RoundingsOf(const std::string& op, int operands) {
  if (op == "Sum" || op == "Mean" || op == "ScatterElements" || op == "ScatterND" ||
      op == "Scatter") {
    return operands + 4;  // at most a few updates of one element in these cases
  }
  return 1;
}

void WriteTensor(const Tensor& tensor, int onnx_type, onnx::TensorProto& proto) {
  const std::string name = proto.name();
  proto.Clear();
  proto.set_name(name);
  proto.set_data_type(onnx_type);
  for (const std::int64_t extent : tensor.shape().dims()) {
    proto.add_dims(extent);
  }
  proto.set_raw_data(std::string(reinterpret_cast<const char*>(tensor.data()),
                                 static_cast<std::size_t>(tensor.size_bytes())));
}

struct Variant {
  onnx::ModelProto model;
  bool has_floats = false;
};

// The model with constant operands that are rounded to `rounded` and stored as `stored`.
Variant VariantOf(const fs::path& test, DType rounded, DType stored) {
  Variant variant;
  EXPECT_TRUE(variant.model.ParseFromString(ReadFile(test / "model.onnx")));
  onnx::GraphProto& graph = *variant.model.mutable_graph();
  int file_number = 0;
  for (auto& input : *graph.mutable_input()) {
    const fs::path file =
        test / "test_data_set_0" / ("input_" + std::to_string(file_number++) + ".pb");
    if (!fs::exists(file)) {
      continue;
    }
    Tensor tensor = ReadTensorProto(file);
    onnx::TensorProto proto;
    proto.set_name(input.name());
    if (tensor.dtype() == DType::kFloat32) {
      variant.has_floats = true;
      tensor = Convert(Convert(tensor, rounded), stored);
      input.mutable_type()->mutable_tensor_type()->set_elem_type(RowOf(stored).onnx_type);
    }
    WriteTensor(tensor, RowOf(tensor.dtype()).onnx_type, proto);
    *graph.add_initializer() = proto;
  }
  for (auto& output : *graph.mutable_output()) {
    if (output.type().tensor_type().elem_type() == onnx::TensorProto::FLOAT) {
      output.mutable_type()->mutable_tensor_type()->set_elem_type(RowOf(stored).onnx_type);
    }
  }
  return variant;
}

std::vector<Tensor> Folded(const onnx::ModelProto& model) {
  const fs::path folder = fs::path(::testing::TempDir()) / "halftone_node_precision";
  CreateFolder(folder);
  std::ofstream(folder / "model.onnx", std::ios::binary | std::ios::trunc)
      << model.SerializeAsString();
  const Graph graph = ReadOnnx(folder);
  std::vector<Tensor> results;
  for (const ValueId output : graph.outputs) {
    if (!graph.value(output).constant) {
      throw Error(ErrorKind::kUnsupported, "not folded");
    }
    results.push_back(*graph.value(output).constant);
  }
  return results;
}

// Above the largest finite number of the type, infinity is the right answer.
bool IsWithin(double got, double want, DType dtype, double bound) {
  if (std::isnan(want)) {
    return std::isnan(got);
  }
  if (dtype == DType::kFloat16 && std::abs(want) + bound >= 65520) {
    return std::isinf(got) || std::abs(got - want) <= bound;
  }
  return got == want || std::abs(got - want) <= bound;
}

double LargestOf(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
  }
  return largest;
}

// The first difference, "" for none; empty where the test has nothing to compare.
std::optional<std::string> Difference(const fs::path& test, DType dtype) {
  const Variant half = VariantOf(test, dtype, dtype);
  const std::string op = half.model.graph().node(0).op_type();
  if (!half.has_floats || half.model.graph().node_size() != 1 || IsExcepted(op)) {
    return std::nullopt;
  }
  const std::vector<Tensor> got = Folded(half.model);
  const std::vector<Tensor> want = Folded(VariantOf(test, dtype, DType::kFloat32).model);
  const double unit = dtype == DType::kFloat16 ? 0x1p-11 : 0x1p-8;
  const double tiny = dtype == DType::kFloat16 ? 0x1p-25 : 0x1p-134;
  const double roundings = RoundingsOf(op, half.model.graph().node(0).input_size());
  for (std::size_t o = 0; o < want.size(); ++o) {
    if (want[o].dtype() == DType::kFloat32 && got[o].dtype() != dtype) {
      return "output " + std::to_string(o) + " is " + got[o].type().ToString();
    }
    const std::vector<double> exact = DoublesOf(want[o]);
    const std::vector<double> values = DoublesOf(got[o]);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const double scale = roundings > 1 ? LargestOf(exact) : std::abs(exact[i]);
      const double bound =
          want[o].dtype() == DType::kFloat32
              ? roundings * (unit * (1 + 0x1p-13) * scale + tiny) + 2 * 0x1p-24 * std::abs(exact[i])
              : 0;
      if (!IsWithin(values[i], exact[i], dtype, bound)) {
        return "output " + std::to_string(o) + " element " + std::to_string(i) + ": float32 " +
               std::to_string(exact[i]) + ", " + std::string(NameOf(dtype)) + " " +
               std::to_string(values[i]);
      }
    }
  }
  return "";
}

class NodePrecision : public ::testing::TestWithParam<DType> {};

TEST_P(NodePrecision, SixteenBitsDifferByTheirRoundings) {
  const auto shared = testing::SharedDir();
  if (!shared || !fs::exists(*shared / "onnx-node-tests")) {
    GTEST_SKIP() << "no node tests beside the source tree";
  }
  int compared = 0;
  for (const char* set : {"opset17", "opset18-24"}) {
    for (const auto& entry : fs::directory_iterator(*shared / "onnx-node-tests" / set)) {
      if (!entry.is_directory()) {
        continue;
      }
      try {
        const std::optional<std::string> difference = Difference(entry.path(), GetParam());
        EXPECT_EQ(difference.value_or(""), "") << set << "/" << entry.path().filename().string();
        compared += difference ? 1 : 0;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kUnsupported)
            << set << "/" << entry.path().filename().string() << ": " << error.what();
      }
    }
  }
  EXPECT_GT(compared, 300);
  std::cout << compared << " tests compared\n";
}

INSTANTIATE_TEST_SUITE_P(DTypes, NodePrecision,
                         ::testing::Values(DType::kFloat16, DType::kBFloat16),
                         [](const auto& test) { return std::string(NameOf(test.param)); });

}  // namespace
}  // namespace halftone
