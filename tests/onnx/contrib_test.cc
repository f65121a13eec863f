// Operators of com.microsoft: what they compute, worked out by hand or by the same model written
// with operators of ai.onnx.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/base/rng.h"
#include "src/onnx/tracer.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using ::halftone::testing::ModelWriter;
using ::halftone::testing::NodesOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

constexpr int kInt32 = onnx::TensorProto::INT32;
constexpr int kInt64 = onnx::TensorProto::INT64;

Tensor Floats(Shape shape, const std::vector<float>& values) {
  return Tensor::From<float>(std::move(shape), values);
}

Tensor RandomFloats(Shape shape, std::uint64_t seed) {
  Rng rng(seed);
  Tensor tensor(DType::kFloat32, std::move(shape));
  for (float& value : tensor.mutable_values<float>()) {
    value = static_cast<float>(rng.Uniform(-1, 1));
  }
  return tensor;
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

std::string MessageOf(const ModelWriter& writer) {
  try {
    static_cast<void>(writer.Import());
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

onnx::NodeProto& Contrib(ModelWriter& writer, const std::string& type,
                         std::initializer_list<const char*> inputs,
                         std::initializer_list<const char*> outputs) {
  auto& node = writer.Node(type, "node", inputs, outputs);
  node.set_domain("com.microsoft");
  return node;
}

// A model of inputs x [2, 3] and, where a node reads it, z [2, 3]; constants b [3], w [3, 3].
ModelWriter Matrices() {
  ModelWriter writer(20);
  writer.Input("x", {2, 3});
  writer.Input("z", {2, 3});
  writer.Floats("b", {3}, {0.5F, -1, 2});
  writer.Floats("w", {3, 3}, {1, 2, -3, 0.5F, 0, 1, -1, 1, 4});
  writer.Output("y");
  return writer;
}

void ExpectSame(const ModelWriter& contrib, const ModelWriter& plain,
                const std::vector<Tensor>& inputs) {
  EXPECT_EQ(OutputsOf(contrib, inputs), OutputsOf(plain, inputs));
}

const std::vector<Tensor> kMatrices = {Floats({2, 3}, {0.5F, -2, 3, 1, 0.25F, -1}),
                                       Floats({2, 3}, {3, 1, -1, -2, 5, 0.5F})};

TEST(Contrib, Gelus) {
  ModelWriter bias = Matrices();
  Contrib(bias, "BiasGelu", {"x", "b"}, {"y"});
  ModelWriter plain = Matrices();
  plain.Node("Add", "add", {"x", "b"}, {"s"});
  plain.Node("Gelu", "gelu", {"s"}, {"y"});
  ExpectSame(bias, plain, kMatrices);

  ModelWriter gelu = Matrices();
  Contrib(gelu, "Gelu", {"x"}, {"y"});
  EXPECT_EQ(NodesOf(gelu.Import().graph), "Gelu[node]");

  ModelWriter fast = Matrices();
  Contrib(fast, "FastGelu", {"x", "b"}, {"y"});
  ModelWriter tanh = Matrices();
  tanh.Node("Add", "add", {"x", "b"}, {"s"});
  ModelWriter::SetText(tanh.Node("Gelu", "gelu", {"s"}, {"y"}), "approximate", "tanh");
  ExpectSame(fast, tanh, kMatrices);

  ModelWriter quick = Matrices();
  Contrib(quick, "QuickGelu", {"x"}, {"y"});
  const auto got = OutputsOf(quick, kMatrices)[0];
  EXPECT_NEAR(got[1], -2 / (1 + std::exp(1.702 * 2)), 1e-7);
}

TEST(Contrib, FusedMatMul) {
  ModelWriter fused = Matrices();
  auto& node = Contrib(fused, "FusedMatMul", {"x", "w"}, {"y"});
  ModelWriter::SetInt(node, "transB", 1);
  ModelWriter::SetFloat(node, "alpha", 0.5F);
  // Rows of x by rows of w, halved.
  EXPECT_THAT(OutputsOf(fused, kMatrices)[0], ElementsAre(-6.25, 1.625, 4.75, 2.25, -0.25, -2.375));
  ModelWriter turned = Matrices();
  ModelWriter::SetInt(Contrib(turned, "TransposeMatMul", {"x", "z"}, {"y"}), "transA", 1);
  EXPECT_THAT(OutputsOf(turned, kMatrices)[0],
              ElementsAre(-0.5, 5.5, 0, -6.5, -0.75, 2.125, 11, -2, -3.5));
  ModelWriter batches = Matrices();
  ModelWriter::SetInt(Contrib(batches, "FusedMatMul", {"x", "w"}, {"y"}), "transBatchA", 1);
  EXPECT_THAT(MessageOf(batches), HasSubstr("attributes 'transBatchA' and 'transBatchB': other "
                                            "values than 0 are not supported"));
}

TEST(Contrib, FusedGemmAndConv) {
  ModelWriter gemm = Matrices();
  ModelWriter::SetText(Contrib(gemm, "FusedGemm", {"x", "w", "b"}, {"y"}), "activation", "Relu");
  ModelWriter plain = Matrices();
  plain.Node("Gemm", "gemm", {"x", "w", "b"}, {"s"});
  plain.Node("Relu", "relu", {"s"}, {"y"});
  ExpectSame(gemm, plain, kMatrices);

  const auto conv = [](bool fused, const char* activation, const std::vector<float>& parameters) {
    ModelWriter writer(20);
    writer.Input("x", {1, 1, 4});
    writer.Input("z", {1, 1, 2});
    writer.Floats("k", {1, 1, 3}, {1, 2, -1});
    writer.Floats("b", {1}, {0.5F});
    writer.Output("y");
    if (fused) {
      auto& node = Contrib(writer, "FusedConv", {"x", "k", "b", "z"}, {"y"});
      ModelWriter::SetText(node, "activation", activation);
      ModelWriter::SetFloats(node, "activation_params", parameters);
    } else {
      writer.Node("Conv", "conv", {"x", "k", "b"}, {"s"});
      writer.Node("Add", "add", {"s", "z"}, {"t"});
      auto& node = writer.Node(activation, "act", {"t"}, {"y"});
      ModelWriter::SetFloat(node, "alpha", parameters.at(0));
      if (parameters.size() > 1) {
        ModelWriter::SetFloat(node, "beta", parameters[1]);
      }
    }
    return writer;
  };
  const std::vector<Tensor> inputs = {Floats({1, 1, 4}, {1, 2, -3, 0.5F}),
                                      Floats({1, 1, 2}, {-20, 6})};
  for (const auto& [activation, parameters] :
       std::vector<std::pair<const char*, std::vector<float>>>{{"LeakyRelu", {0.25F}},
                                                               {"HardSigmoid", {0.1F, 0.4F}}}) {
    ExpectSame(conv(true, activation, parameters), conv(false, activation, parameters), inputs);
  }
  EXPECT_THAT(OutputsOf(conv(true, "Clip", {-1, 2}), inputs)[0], ElementsAre(-1, 2));
  EXPECT_THAT(MessageOf(conv(true, "Softmax", {})),
              HasSubstr("attribute 'activation': 'Softmax' is not supported; Relu, Sigmoid, Tanh, "
                        "LeakyRelu, HardSigmoid and Clip are"));
}

TEST(Contrib, SkipNormalizations) {
  for (const bool rms : {false, true}) {
    ModelWriter skip = Matrices();
    auto& node = rms ? Contrib(skip, "SkipSimplifiedLayerNormalization", {"x", "z", "b"},
                               {"y", "", "", "sum"})
                     : Contrib(skip, "SkipLayerNormalization", {"x", "z", "b", "b", "b"},
                               {"y", "", "", "sum"});
    ModelWriter::SetFloat(node, "epsilon", 0.1F);
    skip.Output("sum");
    ModelWriter plain = Matrices();
    plain.model.mutable_opset_import(0)->set_version(23);
    plain.Node("Add", "add", {"x", "z"}, {rms ? "sum" : "s"});
    if (!rms) {
      plain.Node("Add", "bias", {"s", "b"}, {"sum"});
    }
    auto& norm = rms ? plain.Node("RMSNormalization", "norm", {"sum", "b"}, {"y"})
                     : plain.Node("LayerNormalization", "norm", {"sum", "b", "b"}, {"y"});
    ModelWriter::SetFloat(norm, "epsilon", 0.1F);
    plain.Output("sum");
    ExpectSame(skip, plain, kMatrices);
  }
  // The statistics are for training; reading them must not pass for a left-out operand.
  ModelWriter mean = Matrices();
  Contrib(mean, "SkipLayerNormalization", {"x", "z", "b"}, {"n", "m"});
  mean.Node("Add", "add", {"n", "m"}, {"y"});
  EXPECT_THAT(MessageOf(mean), HasSubstr("output 'm' is used, but not supported"));
}

// ONNX Runtime writes it in the domain of ai.onnx too.
TEST(Contrib, SimplifiedLayerNormalization) {
  for (const char* domain : {"", "com.microsoft"}) {
    ModelWriter writer = Matrices();
    auto& node = Contrib(writer, "SimplifiedLayerNormalization", {"x", "b"}, {"y"});
    node.set_domain(domain);
    ModelWriter::SetInt(node, "axis", -1);
    ModelWriter::SetInt(node, "stash_type", 1);
    EXPECT_EQ(NodesOf(writer.Import().graph), "RMSNormalization[node]");
  }
}

TEST(Contrib, EmbedLayerNormalization) {
  ModelWriter writer(20);
  writer.Input("ids", {2, 3}, kInt32);
  writer.Input("types", {2, 3}, kInt32);
  writer.Input("mask", {2, 3}, kInt32);
  writer.Floats("words", {4, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  writer.Floats("places", {5, 2}, {10, 0, 20, 0, 30, 0, 40, 0, 50, 0});
  writer.Floats("kinds", {2, 2}, {0, 100, 0, 200});
  writer.Floats("gamma", {2}, {1, 3});
  writer.Floats("beta", {2}, {0, 1});
  Contrib(writer, "EmbedLayerNormalization",
          {"ids", "types", "words", "places", "kinds", "gamma", "beta", "mask"}, {"y", "n", "sum"});
  for (const char* name : {"y", "n", "sum"}) {
    writer.Output(name);
  }
  const auto ints = [](const std::vector<std::int32_t>& values) {
    return Tensor::From<std::int32_t>({2, 3}, values);
  };
  const auto got = OutputsOf(
      writer, {ints({3, 0, 1, 2, 2, 2}), ints({0, 1, 0, 0, 0, 1}), ints({1, 1, 0, 1, 1, 1})});
  EXPECT_THAT(got[1], ElementsAre(2, 3));
  EXPECT_THAT(got[2], ElementsAre(16, 107, 20, 201, 32, 103, 14, 105, 24, 105, 34, 205));
  // Two elements: -1 and 1 times gamma plus beta.
  EXPECT_THAT(got[0], Pointwise(::testing::DoubleNear(1e-4),
                                std::vector<double>{-1, 4, -1, 4, -1, 4, -1, 4, -1, 4, -1, 4}));
}

// Two heads of two elements, three positions, two of them in the second sequence.
ModelWriter AttentionModel() {
  ModelWriter writer(23);
  writer.Input("x", {2, 3, 4});
  writer.Input("mask", {2}, kInt32);
  const Tensor w = RandomFloats({4, 12}, 3);
  const Tensor b = RandomFloats({12}, 4);
  writer.Floats("w", {4, 12}, {w.values<float>().begin(), w.values<float>().end()});
  writer.Floats("b", {12}, {b.values<float>().begin(), b.values<float>().end()});
  writer.Output("y");
  return writer;
}

TEST(Contrib, AttentionIsItsParts) {
  for (const bool masked : {false, true}) {
    ModelWriter contrib = AttentionModel();
    auto& node = masked ? Contrib(contrib, "Attention", {"x", "w", "b", "mask"}, {"y"})
                        : Contrib(contrib, "Attention", {"x", "w", "b"}, {"y"});
    ModelWriter::SetInt(node, "num_heads", 2);
    ModelWriter plain = AttentionModel();
    plain.Node("MatMul", "product", {"x", "w"}, {"p"});
    plain.Node("Add", "bias", {"p", "b"}, {"qkv"});
    ModelWriter::SetInt(plain.Node("Split", "split", {"qkv"}, {"q", "k", "v"}), "axis", 2);
    ModelWriter::SetInt(*plain.graph().mutable_node(2), "num_outputs", 3);
    plain.Floats("scores", {2, 1, 1, 3}, {0, 0, 0, 0, 0, -10000});
    auto& attention = masked
                          ? plain.Node("Attention", "attention", {"q", "k", "v", "scores"}, {"y"})
                          : plain.Node("Attention", "attention", {"q", "k", "v"}, {"y"});
    ModelWriter::SetInt(attention, "q_num_heads", 2);
    ModelWriter::SetInt(attention, "kv_num_heads", 2);
    ExpectSame(contrib, plain,
               {RandomFloats({2, 3, 4}, 5),
                Tensor::From<std::int32_t>({2}, std::vector<std::int32_t>{3, 2})});
  }
}

// The form with the first positions behind the ends.
TEST(Contrib, MasksOfOtherFormsAreRefused) {
  ModelWriter writer = AttentionModel();
  writer.Input("ends", {4}, kInt32);
  ModelWriter::SetInt(Contrib(writer, "Attention", {"x", "w", "b", "ends"}, {"y"}), "num_heads", 2);
  EXPECT_THAT(MessageOf(writer),
              HasSubstr("a mask of int32 4 is not supported: expected [batch], [batch, total] or "
                        "[batch, length, total]"));
}

TEST(Contrib, MultiHeadAttentionAddsItsBias) {
  const auto model = [](bool contrib) {
    ModelWriter writer(23);
    for (const char* name : {"q", "k", "v"}) {
      writer.Input(name, {1, 2, 4});
    }
    writer.Input("mask", {1, 2}, kInt32);
    writer.Floats("b", {12}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    writer.Output("y");
    if (contrib) {
      auto& node = Contrib(writer, "MultiHeadAttention", {"q", "k", "v", "b", "mask"}, {"y"});
      ModelWriter::SetInt(node, "num_heads", 2);
      ModelWriter::SetFloat(node, "scale", 0.25F);
      return writer;
    }
    writer.Floats("bq", {4}, {1, 2, 3, 4});
    writer.Floats("bk", {4}, {5, 6, 7, 8});
    writer.Floats("bv", {4}, {9, 10, 11, 12});
    writer.Floats("scores", {1, 1, 1, 2}, {-10000, 0});
    writer.Node("Add", "aq", {"q", "bq"}, {"q1"});
    writer.Node("Add", "ak", {"k", "bk"}, {"k1"});
    writer.Node("Add", "av", {"v", "bv"}, {"v1"});
    auto& node = writer.Node("Attention", "attention", {"q1", "k1", "v1", "scores"}, {"y"});
    ModelWriter::SetInt(node, "q_num_heads", 2);
    ModelWriter::SetInt(node, "kv_num_heads", 2);
    ModelWriter::SetFloat(node, "scale", 0.25F);
    return writer;
  };
  ExpectSame(model(true), model(false),
             {RandomFloats({1, 2, 4}, 1), RandomFloats({1, 2, 4}, 2), RandomFloats({1, 2, 4}, 3),
              Tensor::From<std::int32_t>({1, 2}, std::vector<std::int32_t>{0, 1})});
}

TEST(Contrib, RotaryEmbeddingCountsFromAPosition) {
  const auto model = [](bool contrib) {
    ModelWriter writer(23);
    writer.Input("x", {1, 2, 8});
    writer.Floats("cos", {4, 2}, {1, 1, 0.5F, 0.25F, 0, -1, -0.5F, 0});
    writer.Floats("sin", {4, 2}, {0, 0, 0.5F, 0.75F, 1, 0, 0.25F, 1});
    writer.Output("y");
    if (contrib) {
      writer.Integers("from", {2});
      Contrib(writer, "RotaryEmbedding", {"x", "from", "cos", "sin"}, {"y"});
    } else {
      auto* positions = writer.graph().add_initializer();
      positions->set_name("positions");
      positions->set_data_type(kInt64);
      for (const std::int64_t extent : {1, 2}) {
        positions->add_dims(extent);
      }
      for (const std::int64_t position : {2, 3}) {
        positions->add_int64_data(position);
      }
      auto& node = writer.Node("RotaryEmbedding", "turn", {"x", "cos", "sin", "positions"}, {"y"});
      ModelWriter::SetInt(node, "num_heads", 2);
    }
    return writer;
  };
  ExpectSame(model(true), model(false), {RandomFloats({1, 2, 8}, 9)});
}

TEST(Contrib, OthersAreRefusedByTheirFullName) {
  ModelWriter writer = Matrices();
  Contrib(writer, "BeamSearch", {"x"}, {"y"});
  EXPECT_THAT(MessageOf(writer),
              HasSubstr("halftone does not have operator com.microsoft.BeamSearch"));
  ModelWriter attribute = Matrices();
  ModelWriter::SetInt(Contrib(attribute, "BiasGelu", {"x", "b"}, {"y"}), "beta", 1);
  EXPECT_THAT(MessageOf(attribute), HasSubstr("attribute 'beta' has no meaning for Gelu here"));
}

}  // namespace
}  // namespace halftone
