// Imports every network of the shared collection with the shapes of its first test data set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/onnx/reader.h"
#include "src/onnx/tensor_proto.h"
#include "src/passes/passes.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// The tensors <what>_0.pb, <what>_1.pb, ... of a test data set.
std::vector<Tensor> TensorsOf(const fs::path& folder, const std::string& what) {
  std::vector<Tensor> tensors;
  while (true) {
    const fs::path file = folder / (what + "_" + std::to_string(tensors.size()) + ".pb");
    if (!fs::exists(file)) {
      return tensors;
    }
    tensors.push_back(ReadTensorProto(file));
  }
}

// The graph inputs that are no initializers.
std::vector<std::string> InputNames(const fs::path& file) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(ReadFile(file)));
  std::set<std::string> initializers;
  for (const auto& initializer : model.graph().initializer()) {
    initializers.insert(initializer.name());
  }
  std::vector<std::string> names;
  for (const auto& input : model.graph().input()) {
    if (!initializers.contains(input.name())) {
      names.push_back(input.name());
    }
  }
  return names;
}

struct ModelCase {
  const char* name;
  const char* refusal;  // null: must import; else a part of the kUnsupported message
};

class RealModel : public ::testing::TestWithParam<ModelCase> {};

TEST_P(RealModel, Imports) {
  const auto shared = testing::SharedDir();
  if (!shared) {
    GTEST_SKIP() << "no collection of networks beside the source tree";
  }
  const fs::path folder = *shared / "models" / GetParam().name;
  const auto inputs = TensorsOf(folder / "test_data_set_0", "input");
  ImportOptions options;
  if (!inputs.empty()) {
    const auto names = InputNames(folder / "model.onnx");
    ASSERT_EQ(names.size(), inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      options.input_shapes[names[i]] = inputs[i].shape().dims();
    }
  }
  try {
    const ImportResult result = ImportOnnx(folder, options);
    ASSERT_EQ(GetParam().refusal, nullptr) << "imports now: move it to the other rows";
    EXPECT_TRUE(inputs.empty() || result.notes.empty());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_EQ(result.graph.value(result.graph.inputs[i]).type, inputs[i].type());
    }
    // The inferred types of the outputs are those that another implementation computed.
    const auto outputs = TensorsOf(folder / "test_data_set_0", "output");
    ASSERT_TRUE(outputs.empty() || outputs.size() == result.graph.outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_EQ(result.graph.value(result.graph.outputs[i]).type, outputs[i].type())
          << result.graph.value(result.graph.outputs[i]).name;
    }
    std::set<std::string> names;
    for (const Node& node : result.graph.nodes) {
      ASSERT_FALSE(node.origins.empty());
      EXPECT_EQ(node.name, node.origins[0].name);
      EXPECT_TRUE(names.insert(node.name).second) << "two nodes called " << node.name;
    }
    Graph optimized = result.graph;
    Optimize(optimized);
    EXPECT_LE(optimized.nodes.size(), result.graph.nodes.size());
    ASSERT_EQ(optimized.outputs.size(), result.graph.outputs.size());
    for (std::size_t i = 0; i < optimized.outputs.size(); ++i) {
      const Value& before = result.graph.value(result.graph.outputs[i]);
      const Value& after = optimized.value(optimized.outputs[i]);
      EXPECT_EQ(after.name, before.name);
      EXPECT_EQ(after.type, before.type);
    }
    std::cout << GetParam().name << ": " << result.graph.nodes.size() << " nodes, "
              << optimized.nodes.size() << " after the passes\n";
  } catch (const Error& error) {
    ASSERT_NE(GetParam().refusal, nullptr) << error.what();
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), ::testing::HasSubstr(GetParam().refusal));
  }
}

constexpr ModelCase kModels[] = {
    {"mnist", nullptr},
    {"micro-kws", nullptr},
    {"micro-kws-qdq", nullptr},
    {"squeezenet", nullptr},
    {"squeezenet-fp16", nullptr},
    {"super-resolution", nullptr},
    {"yunet-320", nullptr},
    {"katago-resnet-b6c96", nullptr},
    {"katago-transformer-b7c96", nullptr},
    {"ppocr-cls", nullptr},
    {"stories260k", nullptr},
    {"stories260k-decode", nullptr},
    {"gpt-untrained", nullptr},
    {"face-landmarks-mnv3", nullptr},
    {"deeplab-mnv2-portrait", nullptr},
    {"dnsmos", nullptr},
    {"magika", nullptr},
    {"nanodet-m", nullptr},
    {"yolox-nano", nullptr},
    {"light/resnet50", nullptr},
    {"light/bert_base", nullptr},
    {"light/bvlc_alexnet", nullptr},
    {"light/densenet121", nullptr},
    {"light/efficientnet_b0", nullptr},
    {"light/gpt2_small", nullptr},
    {"light/inception_v1", nullptr},
    {"light/inception_v2", nullptr},
    {"light/mobilenet_v2", nullptr},
    {"light/shufflenet", nullptr},
    {"light/squeezenet", nullptr},
    {"light/vgg19", nullptr},
    {"light/vit_b_16", nullptr},
    {"light/zfnet512", nullptr},
    {"dtln-1", nullptr},
    {"gtcrn", nullptr},
    {"nnsplit-en", nullptr},
    {"ppocr-det", nullptr},
    {"silero-vad", nullptr},
};

INSTANTIATE_TEST_SUITE_P(Shared, RealModel, ::testing::ValuesIn(kModels), [](const auto& c) {
  std::string name = c.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char letter) { return letter == '-' || letter == '/'; }, '_');
  return name;
});

}  // namespace
}  // namespace halftone
