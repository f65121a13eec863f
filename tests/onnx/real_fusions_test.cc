// How many chains of real networks become one node: none is lost unnoticed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "src/onnx/reader.h"
#include "src/passes/passes.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

struct ModelCase {
  const char* name;
  const char* fused;  // operators that were chains, with the number of their nodes
};

constexpr ModelCase kModels[] = {
    {"face-landmarks-mnv3", "HardSwish 18"},
    {"gpt-untrained", "Attention 4, Gelu 4, LayerNormalization 9"},
    {"katago-transformer-b7c96",
     "Attention 7, RMSNormalization 14, Reshape 28, RotaryEmbedding 14, Swish 13"},
    {"magika", "Gelu 2"},
    {"stories260k", "Attention 5, RMSNormalization 11, Reshape 20, RotaryEmbedding 10, Swish 5"},
    {"stories260k-decode",
     "Attention 5, RMSNormalization 11, Reshape 20, RotaryEmbedding 10, Swish 5"},
    {"yolox-nano", "Slice 4, Swish 104"},
    {"light/bert_base", "Attention 12, Gelu 12, LayerNormalization 25"},
    {"light/efficientnet_b0", "Swish 49"},
    {"light/gpt2_small", "Attention 12, Gelu 12, LayerNormalization 25"},
    {"light/vit_b_16", "Attention 12, Gelu 12, LayerNormalization 25"},
};

// Convolutions and matrix products are fused with what is behind them; the others were chains, or
// are the Reshapes around a RotaryEmbedding.
std::string FusedChains(const Graph& graph) {
  std::map<std::string_view, int> counts;
  for (const Node& node : graph.nodes) {
    if (node.origins.size() > 1 && !InfoOf(node.op).Is(kCube)) {
      ++counts[InfoOf(node.op).name];
    }
  }
  std::string text;
  for (const auto& [op, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", op, count);
  }
  return text;
}

class RealFusions : public ::testing::TestWithParam<ModelCase> {};

TEST_P(RealFusions, AreFound) {
  const auto shared = testing::SharedDir();
  if (!shared) {
    GTEST_SKIP() << "no collection of networks beside the source tree";
  }
  Graph graph = ImportOnnx(*shared / "models" / GetParam().name, {}).graph;
  const std::size_t before = graph.nodes.size();
  Optimize(graph, {"fuse_activation_function"});  // which takes the chains that are one
  EXPECT_EQ(FusedChains(graph), GetParam().fused)
      << before << " nodes, " << graph.nodes.size() << " after the passes";
}

INSTANTIATE_TEST_SUITE_P(Models, RealFusions, ::testing::ValuesIn(kModels), [](const auto& row) {
  std::string name = row.param.name;
  for (char& c : name) {
    c = c == '/' || c == '-' || c == '.' ? '_' : c;
  }
  return name;
});

}  // namespace
}  // namespace halftone
