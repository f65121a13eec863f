#include "src/amct/point_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/temporary_folder.h"
#include "src/precision/resolve/node_formats.h"
#include "src/quantization/files/amct_config.h"
#include "src/quantization/files/compression_config.h"
#include "tests/support/net.h"
#include "tests/support/quantized_plan.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Net;
using ::testing::Pair;

Graph Network() {
  Net net;
  const ValueId first = net.Conv("first", net.Image(), 4);
  return net.Finish({net.Conv("second", first, 4)});
}

// The nodes in 8 bits as AMCT makes them, beside float16.
PrecisionPlan PlanWith(const Graph& graph, const std::vector<std::string>& layers) {
  PrecisionPlan plan = ReferencePlan(graph);
  for (NodePrecision& node : plan.nodes) {
    node.inputs.assign(node.inputs.size(), DType::kFloat16);
    node.outputs.assign(node.outputs.size(), DType::kFloat16);
  }
  plan.quantization = SharedQuantization(Quantization{.activations = {{"x", {}}}}, {.samples = 3});
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (std::ranges::find(layers, graph.nodes[n].name) != layers.end()) {
      ApplyFormat(graph, graph.nodes[n], kQuantizedInFloat16, plan.nodes[n]);
    }
  }
  return plan;
}

TEST(AmctPointTest, FilesNameDataShapesAndLayers) {
  const Graph graph = Network();
  const auto texts = AmctPointTexts(graph, PlanWith(graph, {"first"}), "Ascend310P3");
  ASSERT_EQ(texts.size(), 2U);
  const CalibrationBlock block =
      ParseCompressionConfig(texts.at(std::string(kCompressionFile)), "f").calibration;
  EXPECT_THAT(block.input_data, ElementsAre("../calibration/input_0.bin"));
  EXPECT_THAT(block.input_shapes, ElementsAre(Pair("x", "2,4,3,5")));
  EXPECT_EQ(block.config_file, "quant.cfg");
  EXPECT_EQ(block.infer_soc, "Ascend310P3");
  const AmctConfig config = ParseAmctConfig(texts.at(std::string(kAmctFile)), "f");
  EXPECT_THAT(config.skip_layers, ElementsAre("second"));
  EXPECT_EQ(config.batch_num, 3);
}

TEST(AmctPointTest, APlanWithout8BitsHasNone) {
  const Graph graph = Network();
  EXPECT_THAT(AmctPointTexts(graph, PlanWith(graph, {}), "Ascend310P3"), IsEmpty());
}

TEST(AmctPointTest, AnEditedFileIsAnError) {
  const Graph graph = Network();
  const TemporaryFolder folder("amct");
  const PrecisionPlan plan = PlanWith(graph, {"first"});
  EXPECT_NO_THROW(CheckAmctFile(folder.path(), graph, plan)) << "no file, nothing to compare";
  for (const auto& [name, text] : AmctPointTexts(graph, plan, "Ascend310P3")) {
    folder.Write(name, text);
  }
  EXPECT_NO_THROW(CheckAmctFile(folder.path(), graph, plan));
  folder.Write("quant.cfg", "skip_layers: \"first\"\n");
  try {
    CheckAmctFile(folder.path(), graph, plan);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("quant.cfg: node 'first' is left out by this file, but "
                                        "computes in 8 bits by quantization.json"));
  }
}

TEST(AmctPointTest, DataLieOneBehindAnother) {
  const Graph graph = Network();
  std::vector<Sample> samples;
  std::string bytes;
  for (const float first : {1.0F, 2.0F}) {
    Tensor input(DType::kFloat32, Shape{2, 4, 3, 5});
    std::ranges::fill(input.mutable_values<float>(), first);
    bytes.append(reinterpret_cast<const char*>(input.data()), input.size_bytes());
    samples.push_back({.name = "s", .inputs = {input}});
  }
  const TemporaryFolder folder("amct");
  WriteCalibrationData(folder.path() / "calibration", graph, Dataset(samples));
  EXPECT_EQ(ReadFile(folder.path() / "calibration/input_0.bin"), bytes);
}

}  // namespace
}  // namespace halftone
