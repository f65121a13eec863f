// Files of ncnn, RKNN-Toolkit and MNN that are patched.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "src/base/error.h"
#include "src/export/mnn_compression.h"
#include "src/export/ncnn_param.h"
#include "src/export/rknn_config.h"
#include "tests/export/named_net.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::NamedNet;
using testing::NamedNetOf;

std::string ErrorOf(const std::function<ExportedText()>& patch) {
  try {
    static_cast<void>(patch());
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

// ---- ncnn

constexpr std::string_view kParam =
    "7767517\n"
    "5 6\n"
    "Input            x                        0 1 x\n"
    "Convolution      conv                     1 1 x conv_out 0=128 1=3 -23310=1,0.5 \r\n"
    "Split            splitncnn_0              1 2 conv_out s0 s1\n"
    "ReLU             fused                    1 1 s0 act_out 31=16\n"
    "BinaryOp         größe                    2 1 act_out s1 größe_out 0=0";

TEST(NcnnParam, MasksLayersByNameAndByResult) {
  const NamedNet net = NamedNetOf({"low", "conv", "act", "größe", "gone"}, {{"low", "float16"}});
  const std::vector<NcnnMask> masks = NcnnMasksOf(net.graph, net.plan);
  const ExportedText file = PatchNcnnParam(kParam, "net.param", masks);
  EXPECT_EQ(file.text,
            "7767517\n"
            "5 6\n"
            "Input            x                        0 1 x\n"
            "Convolution      conv                     1 1 x conv_out 0=128 1=3 -23310=1,0.5 31=7 "
            "\r\n"
            "Split            splitncnn_0              1 2 conv_out s0 s1\n"
            "ReLU             fused                    1 1 s0 act_out 31=23\n"
            "BinaryOp         größe                    2 1 act_out s1 größe_out 0=0 31=7");
  EXPECT_THAT(NotesOf(file.losses), ElementsAre(HasSubstr(": 1, the first is 'gone'")));
  EXPECT_EQ(PatchNcnnParam(file.text, "net.param", masks).text, file.text);
}

TEST(NcnnParam, BitsFollowTheFormatsOfThePlan) {
  const auto bits = [](const std::map<std::string, std::string>& formats) {
    const NamedNet net = NamedNetOf({"a", "b"}, formats);
    std::map<std::string, std::uint32_t> by_name;
    for (const NcnnMask& mask : NcnnMasksOf(net.graph, net.plan)) {
      by_name[mask.name] = mask.bits;
    }
    return by_name;
  };
  using Bits = std::map<std::string, std::uint32_t>;
  EXPECT_EQ(bits({{"a", "float16"}}), (Bits{{"b", 7}}));
  EXPECT_EQ(bits({{"a", "float16"}, {"b", "bfloat16"}}), (Bits{{"a", 4}, {"b", 3}}));
  EXPECT_EQ(bits({{"a", "qint8"}}), (Bits{{"b", 15}}));
  EXPECT_EQ(bits({{"a", "qint8"}, {"b", "float16"}}), (Bits{{"b", 8}}));
  EXPECT_THROW(bits({}), Error);
}

TEST(NcnnParam, OneSentenceForOtherFiles) {
  const NamedNet net = NamedNetOf({"low", "conv"}, {{"low", "float16"}});
  const std::vector<NcnnMask> masks = NcnnMasksOf(net.graph, net.plan);
  const auto error = [&](std::string_view text) {
    return ErrorOf([&] { return PatchNcnnParam(text, "net.param", masks); });
  };
  EXPECT_THAT(error(""), HasSubstr("net.param:1: expected 7767517"));
  EXPECT_THAT(error("\x85\xd9\x76"), HasSubstr("net.param:1: expected 7767517"));
  EXPECT_THAT(error("7767517"), HasSubstr("net.param:2: expected the numbers of layers"));
  EXPECT_THAT(error("7767517\n1 1\nInput x 0\n"), HasSubstr("net.param:3: expected a layer: type"));
  EXPECT_EQ(error("7767517\n1 1\nInput x 0 2 x\n"),
            "net.param:3: expected 2 blobs of layer 'x', found 1");
  EXPECT_EQ(error("7767517\n2 1\nInput x 0 1 x\n"), "net.param:2: says 2 layers, and 1 follow");
  EXPECT_EQ(error("7767517\n1 1\nReLU conv 0 1 x 31=many\n"),
            "net.param:3: expected a whole number as 31, the mask of features; found '31=many'");
  EXPECT_THAT(error("7767517\n1 1\nInput x 0 1 x\n"),
              HasSubstr("net.param: no layer has the name or result of any of 1 operator"));
}

// ---- RKNN

constexpr std::string_view kRknn =
    "# made by step 1\n"
    "custom_quantize_layers: {}\n"
    "quantize_parameters:\n"
    "    x:\n"
    "        qtype: asymmetric_quantized\n"
    "        dtype: int8\n"
    "        min:\n"
    "        - 0.0\n"
    "    conv_out:\n"
    "        dtype: int8\n"
    "    a:0_out:\n"
    "        dtype: int8\n"
    "    'soft: x_out':\n"
    "        dtype: int8\n";

TEST(RknnConfig, ListsTensorsInFloat) {
  const NamedNet net =
      NamedNetOf({"conv", "a:0", "soft: x", "gone"}, {{"conv", "qint8"}, {"a:0", "float16"}});
  const ExportedText file = PatchRknnConfig(kRknn, "net.cfg", net.nodes());
  const std::string expected =
      "custom_quantize_layers:\n    \"a:0_out\": float16\n    \"soft: x_out\": float16\n";
  std::string whole(kRknn);
  const std::string_view old = "custom_quantize_layers: {}\n";
  EXPECT_EQ(file.text, whole.replace(whole.find(old), old.size(), expected));
  EXPECT_THAT(
      NotesOf(file.losses),
      ElementsAre(HasSubstr("stand in float16, the only floating point of the toolkit: 1, the "
                            "first is 'soft: x_out'"),
                  HasSubstr("does not list, which stay as the toolkit has them: 1, the first "
                            "is 'gone_out'")));
  EXPECT_EQ(PatchRknnConfig(file.text, "net.cfg", net.nodes()).text, file.text);
}

TEST(RknnConfig, KeepsEntriesOfOthersAndKnowsToolkit1) {
  const NamedNet net = NamedNetOf({"conv", "soft"}, {{"conv", "qint8"}});
  EXPECT_EQ(PatchRknnConfig("custom_quantize_layers: {\n  other: int16,\n}\nquantize_parameters:\n"
                            "  soft_out: {dtype: int8}\n",
                            "net.cfg", net.nodes())
                .text,
            "custom_quantize_layers:\n    other: int16\n    soft_out: float16\n"
            "quantize_parameters:\n  soft_out: {dtype: int8}\n");
  const ExportedText first = PatchRknnConfig(
      "quantize_parameters:\n  soft_out: {dtype: int8}\ncustomized_quantize_layers: {}", "net.cfg",
      net.nodes());
  EXPECT_EQ(first.text,
            "quantize_parameters:\n  soft_out: {dtype: int8}\ncustomized_quantize_layers:\n"
            "    soft_out: float32\n");
  EXPECT_THAT(first.losses, IsEmpty());
}

TEST(RknnConfig, OneSentenceForOtherFiles) {
  const NamedNet net = NamedNetOf({"conv", "soft"}, {{"conv", "qint8"}});
  const auto error = [&](std::string_view text) {
    return ErrorOf([&] { return PatchRknnConfig(text, "net.cfg", net.nodes()); });
  };
  EXPECT_THAT(error(""), HasSubstr("net.cfg"));
  EXPECT_THAT(error("a: [1"), HasSubstr("net.cfg:"));
  EXPECT_THAT(
      error("quantize_parameters: {a: 1}\n"),
      HasSubstr("net.cfg:1: expected custom_quantize_layers or customized_quantize_layers"));
  EXPECT_THAT(error("custom_quantize_layers: [a]\nquantize_parameters: {a: 1}\n"),
              HasSubstr("net.cfg:1: expected a map of layers"));
  EXPECT_THAT(error("custom_quantize_layers: {}\n"),
              HasSubstr("expected quantize_parameters with the tensors of the network"));
  EXPECT_THAT(error("custom_quantize_layers: {}\nquantize_parameters: {a: 1}\n"),
              HasSubstr("quantize_parameters has none of 1 tensor of the model"));
  EXPECT_THAT(error("{custom_quantize_layers: {}, quantize_parameters: {soft_out: 1}}\n"),
              HasSubstr("expected custom_quantize_layers at the beginning of a line"));
  EXPECT_THAT(error("custom_quantize_layers:\n    a: int16\n# mine\n    b: int16\n"
                    "quantize_parameters: {soft_out: 1}\n"),
              HasSubstr("expected custom_quantize_layers as a block of lines of its own"));
  const NamedNet none = NamedNetOf({"a"}, {{"a", "float16"}});
  EXPECT_THAT(ErrorOf([&] { return PatchRknnConfig(kRknn, "net.cfg", none.nodes()); }),
              HasSubstr("do_quantization=False"));
}

// ---- MNN

TEST(MnnCompression, SetsBitsInTheSpellingOfTheFile) {
  const NamedNet net = NamedNetOf({"conv", "soft", "gone", "relu"},
                                  {{"conv", "qint8"}, {"gone", "qint8"}, {"relu", "float16"}});
  const ExportedText camel = PatchMnnCompression(
      R"({"version":"0.0.0","algo":[{"type":"QUANTIZE","quantParams":{"roundMode":"ROUND","layer":[)"
      R"({"opName":"conv_out","weight":[{"name":"w","bits":4,"scales":[0.1,1e-07]}]},)"
      R"({"opName":"soft_out__matmul_converted","weight":[{"bits":8}]},)"
      R"({"opName":"other","weight":[{"bits":8}]}]}}]})",
      "p.json", net.nodes());
  EXPECT_EQ(
      camel.text,
      R"({"version":"0.0.0","algo":[{"type":"QUANTIZE","quantParams":{"roundMode":"ROUND","layer":[)"
      R"({"opName":"conv_out","weight":[{"name":"w","bits":8,"scales":[0.1,1e-07]}]},)"
      R"({"opName":"soft_out__matmul_converted","weight":[{"bits":0}]},)"
      R"({"opName":"other","weight":[{"bits":8}]}]}}]})");
  EXPECT_THAT(NotesOf(camel.losses),
              ElementsAre(HasSubstr("weights alone are in 8 bits, with scales of MNN's own: 1, the "
                                    "first is 'conv_out'"),
                          HasSubstr("that the file has no weights for: 1, the first is 'gone_out'"),
                          HasSubstr("in 16 bits, which the file cannot tell from float32: 1, the "
                                    "first is 'relu_out'")));
  const ExportedText snake = PatchMnnCompression(
      "{\"pipeline\": {\n \"algo\": [{\"quant_params\": {\"layer\": [{\"op_name\": \"conv_out\", "
      "\"weight\": [{}]}]}}]}}\n",
      "p.json", net.nodes());
  EXPECT_THAT(snake.text, HasSubstr("\"op_name\": \"conv_out\",\n"));
  EXPECT_THAT(snake.text, HasSubstr("\"bits\": 8\n"));
  EXPECT_EQ(PatchMnnCompression(snake.text, "p.json", net.nodes()).text, snake.text);
}

TEST(MnnCompression, OneSentenceForOtherFiles) {
  const NamedNet net = NamedNetOf({"conv"}, {{"conv", "qint8"}});
  const auto error = [&](std::string_view text) {
    return ErrorOf([&] { return PatchMnnCompression(text, "p.json", net.nodes()); });
  };
  EXPECT_THAT(error(""), HasSubstr("p.json"));
  EXPECT_THAT(error("{\"algo\": 1,}"), HasSubstr("p.json:1:"));
  EXPECT_THAT(error("[]"), HasSubstr("p.json: expected a list \"algo\""));
  EXPECT_THAT(error(R"({"algo": {}})"), HasSubstr("p.json: expected a list \"algo\""));
  EXPECT_THAT(error(R"({"algo": [{"quantParams": {"layer": 1}}]})"),
              HasSubstr("expected a list as \"layer\""));
  EXPECT_THAT(error(R"({"algo": [{"quantParams": {"layer": [{"weight": []}]}}]})"),
              HasSubstr("expected a text as \"opName\" or \"op_name\""));
  EXPECT_THAT(
      error(R"({"algo": [1, {"quantParams": {"layer": [{"opName": "a", "weight": [1]}]}}]})"),
      HasSubstr("expected a list of objects as \"weight\" of 'a'"));
  EXPECT_THAT(error(R"({"algo": []})"), HasSubstr("p.json: has none of the operators"));
  const NamedNet none = NamedNetOf({"a"}, {{"a", "float16"}});
  EXPECT_THAT(ErrorOf([&] { return PatchMnnCompression(R"({"algo": []})", "p", none.nodes()); }),
              HasSubstr("no operator in 8 bits"));
}

}  // namespace
}  // namespace halftone
