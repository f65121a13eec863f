// QDQ files of networks of the shared collection, read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "src/onnx/tensor_proto.h"
#include "tests/export/written_model.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using testing::Imported;
using testing::Write;
using testing::Written;

// Networks of the shared collection, where they are.
class RealQdq : public ::testing::TestWithParam<const char*> {};

bool IsKeptInFloat(const Node& node) {
  return node.op == OpKind::kSoftmax;
}

TEST_P(RealQdq, ReadBackGivesThePlan) {
  const auto shared = testing::SharedDir();
  if (!shared || !fs::exists(*shared / "models" / GetParam() / "model.onnx")) {
    GTEST_SKIP() << "no collection of networks beside the source tree";
  }
  const fs::path folder = *shared / "models" / GetParam();
  std::vector<std::vector<Tensor>> samples;
  for (int i = 0; fs::exists(folder / ("test_data_set_" + std::to_string(i))); ++i) {
    samples.push_back(
        {ReadTensorProto(folder / ("test_data_set_" + std::to_string(i)) / "input_0.pb")});
  }
  ImportOptions options;
  const Graph shape_of = Imported(folder);
  options.input_shapes[shape_of.value(shape_of.inputs[0]).name] = samples[0][0].shape().dims();
  const Written written = Write(
      folder, [](const Node& node) { return IsKeptInFloat(node) ? "" : "qint8"; }, QdqFlavour::kOrt,
      samples, options);
  EXPECT_TRUE(written.file.notes.empty());
  // A step of the last quantised tensor; a Softmax behind it moves by at most half of that.
  const Node& last = written.graph.nodes.back();
  const ValueId quantized = IsKeptInFloat(last) ? last.inputs[0] : last.outputs[0];
  const double step = static_cast<double>(
      written.plan.quantization->activations.at(written.graph.value(quantized).name).scale);
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const auto [of_plan, of_file] = written.Run(s, options);
    const std::vector<double> a = DoublesOf(of_plan[0]);
    const std::vector<double> b = DoublesOf(of_file[0]);
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_NEAR(a[k], b[k], step) << "sample " << s << " [" << k << "]";
    }
    EXPECT_EQ(std::ranges::max_element(a) - a.begin(), std::ranges::max_element(b) - b.begin());
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, RealQdq, ::testing::Values("squeezenet", "mnist", "micro-kws"),
                         [](const auto& c) {
                           std::string name = c.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace halftone
