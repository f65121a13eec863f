// Products in dynamic int8 as ONNX: read back, the file gives the bits of the plan.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/exec/dynamic_products.h"
#include "tests/export/written_model.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;
using testing::ModelWriter;
using testing::SmallNet;
using testing::Write;
using testing::Written;

constexpr std::int64_t kColumns = kLeastDynamicColumns;

std::string Dynamic(const Node& node) {
  return node.op == OpKind::kMatMul || node.op == OpKind::kGemm ? "dint8" : "";
}

void AddWeights(ModelWriter& net, std::vector<std::int64_t> shape) {
  SmallNet weights;
  weights.Weights("w", std::move(shape));
  weights.Weights("b", {kColumns});
  for (const auto& tensor : weights.graph().initializer()) {
    *net.graph().add_initializer() = tensor;
  }
}

void ExpectSameBits(const Written& written) {
  for (std::size_t s = 0; s < written.samples.size(); ++s) {
    const auto [of_plan, of_file] = written.Run(s);
    ASSERT_EQ(of_plan.size(), of_file.size());
    EXPECT_EQ(DoublesOf(of_plan[0]), DoublesOf(of_file[0]));
  }
}

TEST(DynamicQdq, AMatMulWithItsBiasAndActivation) {
  ModelWriter net;
  net.Input("x", {2, 5, 70});
  net.Output("y");
  AddWeights(net, {70, kColumns});
  net.Node("MatMul", "fc", {"x", "w"}, {"p"});
  net.Node("Add", "plus", {"p", "b"}, {"s"});
  net.Node("Relu", "act", {"s"}, {"y"});
  const Written written = Write(net.Save(), Dynamic);
  EXPECT_EQ(written.Types(),
            "Abs ReduceMax Max Div Div Mul Round Add Cast MatMulInteger Cast Mul Mul Add Relu");
  EXPECT_EQ(written.file.products, 1);
  EXPECT_EQ(written.file.tensors, 0);
  ExpectSameBits(written);
}

TEST(DynamicQdq, AGemm) {
  for (const bool transposed : {false, true}) {
    ModelWriter net;
    net.Input("x", {5, 70});
    net.Output("y");
    AddWeights(net, transposed ? std::vector<std::int64_t>{kColumns, 70}
                               : std::vector<std::int64_t>{70, kColumns});
    auto& node = net.Node("Gemm", "fc", {"x", "w", "b"}, {"y"});
    ModelWriter::SetInt(node, "transB", transposed ? 1 : 0);
    ExpectSameBits(Write(net.Save(), Dynamic));
  }
}

// What is quantised by tensors is read as numbers, and a residual is added behind.
TEST(DynamicQdq, BesideInt8AndWithAResidual) {
  ModelWriter net;
  net.Input("x", {5, 70});
  net.Input("r", {5, kColumns});
  net.Output("y");
  AddWeights(net, {70, kColumns});
  net.Node("Tanh", "before", {"x"}, {"t"});
  net.Node("MatMul", "fc", {"t", "w"}, {"p"});
  net.Node("Add", "sum", {"p", "r"}, {"y"});
  const Written written = Write(net.Save(), [](const Node& node) {
    return node.op == OpKind::kTanh ? std::string("qint8") : Dynamic(node);
  });
  EXPECT_THAT(written.Types(), HasSubstr("Tanh QuantizeLinear DequantizeLinear Abs"));
  for (std::size_t s = 0; s < written.samples.size(); ++s) {
    const auto [of_plan, of_file] = written.Run(s);
    for (std::size_t i = 0; i < of_plan[0].values<float>().size(); ++i) {
      // A step of Tanh may round the other way: it moves a row by a step of its own.
      EXPECT_NEAR(of_plan[0].values<float>()[i], of_file[0].values<float>()[i], 0.2);
    }
  }
}

TEST(DynamicQdq, TensorRtIsRefused) {
  ModelWriter net;
  net.Input("x", {5, 70});
  net.Output("y");
  AddWeights(net, {70, kColumns});
  net.Node("MatMul", "fc", {"x", "w"}, {"y"});
  try {
    Write(net.Save(), Dynamic, QdqFlavour::kTensorRt);
    FAIL() << "written";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_STREQ(error.what(),
                 "node 'fc' computes in dynamic int8: its rows are quantised in the run, each by a "
                 "scale of its own, and TensorRT has no operators for that; write a point without "
                 "it, or give the node another format");
  }
}

}  // namespace
}  // namespace halftone
