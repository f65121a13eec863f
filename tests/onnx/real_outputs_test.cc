// Small real networks, evaluated with the reference kernels as they are imported and after the
// passes: the outputs are those that ONNX Runtime computed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "src/onnx/model_inputs.h"
#include "src/onnx/reader.h"
#include "src/onnx/tensor_proto.h"
#include "src/passes/fold/fold_constants.h"
#include "src/passes/passes.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// ONNX Runtime sums in fp32: a sum of K terms is off by at most K u of the sum of magnitudes
// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.1), u = 2^-24. The longest
// sums of these networks have K = 864 terms (3x3 windows of 96 channels), so 864 * 2^-24 = 5e-5 for
// one layer; rounding errors are about random, so that the few layers in a row stay within three
// times that. A wrong operator, layout or attribute gives 1e-2 and more.
constexpr double kTolerance = 3 * 864 * 0x1p-24;

class RealOutputs : public ::testing::TestWithParam<const char*> {};

TEST_P(RealOutputs, AreReproducedBeforeAndAfterThePasses) {
  const auto shared = testing::SharedDir();
  if (!shared) {
    GTEST_SKIP() << "no collection of networks beside the source tree";
  }
  const fs::path folder = *shared / "models" / GetParam();
  const fs::path data = folder / "test_data_set_0";
  ImportOptions options;
  std::vector<Tensor> inputs;
  for (const ModelInput& input : ReadModelInputs(folder)) {
    inputs.push_back(ReadTensorProto(data / ("input_" + std::to_string(inputs.size()) + ".pb")));
    options.input_shapes[input.name] = inputs.back().shape().dims();
  }
  const Graph imported = ReadOnnx(folder, options);
  for (const bool optimized : {false, true}) {
    Graph graph = imported;
    if (optimized) {
      Optimize(graph);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      graph.value(graph.inputs[i]).constant = inputs[i];
    }
    LoadBudget whole_network;
    whole_network.Allow(0x1p40);
    FoldConstants(graph, whole_network);
    ASSERT_TRUE(graph.nodes.empty()) << "no kernel for " << Describe(graph.nodes[0]);
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      const auto expected =
          DoublesOf(ReadTensorProto(data / ("output_" + std::to_string(i) + ".pb")));
      const auto actual = DoublesOf(*graph.value(graph.outputs[i]).constant);
      ASSERT_EQ(actual.size(), expected.size());
      double largest = 0;
      double distance = 0;
      for (std::size_t k = 0; k < expected.size(); ++k) {
        largest = std::max(largest, std::abs(expected[k]));
        distance = std::max(distance, std::abs(actual[k] - expected[k]));
      }
      EXPECT_LE(distance, kTolerance * largest)
          << graph.value(graph.outputs[i]).name << (optimized ? " after" : " before")
          << " the passes";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, RealOutputs,
                         ::testing::Values("mnist", "micro-kws", "stories260k", "ppocr-cls",
                                           "gpt-untrained", "katago-resnet-b6c96"),
                         [](const auto& c) {
                           std::string name = c.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace halftone
