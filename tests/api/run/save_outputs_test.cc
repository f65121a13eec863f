// Outputs as files: every sample, in order, with names that a file system takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "src/accuracy/input_file.h"
#include "src/accuracy/tensor_file.h"
#include "src/api/halftone.h"
#include "src/base/file.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

TEST(SaveOutputsTest, StacksTheSamplesOfEachOutput) {
  const fs::path folder = fs::path(::testing::TempDir()) / "halftone_save_outputs_test";
  fs::remove_all(folder);
  testing::GraphBuilder builder;
  const ValueId x = builder.Input("x", {1, 2});
  const ValueId positive = builder.Add(OpKind::kRelu, "head/relu:0", {x});
  const ValueId negated = builder.Add(OpKind::kNeg, "neg", {x});
  Model model;
  model.graph = builder.Finish({positive, negated});
  const float values[] = {1, -2, -3, 4, 5, -6};
  CreateFolder(folder);
  WriteFileAtomically(folder / "x.npy", FormatNpy(Tensor::From<float>({3, 2}, values)));

  const std::vector<std::string> files = SaveOutputs(model,
                                                     {LoadTarget("host"),
                                                      {.precision_mode = "force_fp32"},
                                                      {.inputs = (folder / "x.npy").string()}},
                                                     1, folder / "out")
                                             .files;
  const std::string first = model.graph.value(model.graph.outputs[0]).name;
  ASSERT_EQ(files.size(), 2U);
  EXPECT_THAT(files[0], ::testing::MatchesRegex("0_[A-Za-z0-9_.-]+[.]npy")) << first;
  const Tensor relu = ReadTensorFile(folder / "out" / files[0]);
  EXPECT_EQ(relu.shape(), Shape({3, 2}));
  EXPECT_THAT(relu.values<float>(), ElementsAre(1, 0, 0, 4, 5, 0));
  EXPECT_THAT(ReadTensorFile(folder / "out" / files[1]).values<float>(),
              ElementsAre(-1, 2, 3, -4, -5, 6));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace halftone
