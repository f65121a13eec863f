#include "src/qaic/raw_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/base/error.h"
#include "src/base/temporary_folder.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// a: float32 [2, 3]; b: int64 [2].
Graph Network() {
  testing::GraphBuilder net;
  const ValueId a = net.Input("a", {2, 3});
  const ValueId b = net.Input("b", {2}, DType::kInt64);
  return net.Finish({net.Add(OpKind::kRelu, "relu", {a}), net.Add(OpKind::kNeg, "neg", {b})});
}

template <typename T>
std::string Bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

class QaicRawSamplesTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& bytes) {
    folder_.Write(name, bytes);
    return (folder_.path() / name).string();
  }

  std::string MessageOf(const std::vector<std::vector<std::string>>& samples) {
    try {
      ReadRawSamples(Network(), samples, "list.txt");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_{"raw files"};
};

TEST_F(QaicRawSamplesTest, ElementsAreThoseOfTheFiles) {
  const auto a = Write("a.raw", Bytes<float>({1, -2, 3.5F, 4, 5, 6}));
  const auto b = Write("b.raw", Bytes<std::int64_t>({7, -8}));
  const Dataset samples = ReadRawSamples(Network(), {{a, b}, {a, b}}, "list.txt");
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_TRUE(samples.representative);
  EXPECT_EQ(samples.NameOf(1), a);
  const Sample sample = samples.Read(1);
  EXPECT_THAT(sample.inputs[0].values<float>(), ElementsAre(1, -2, 3.5F, 4, 5, 6));
  EXPECT_THAT(sample.inputs[1].values<std::int64_t>(), ElementsAre(7, -8));
}

TEST_F(QaicRawSamplesTest, WrongFilesAreRefused) {
  const auto a = Write("a.raw", Bytes<float>({1, 2, 3, 4, 5, 6}));
  const auto b = Write("b.raw", Bytes<std::int64_t>({7, 8}));
  const auto half = Write("half.raw", Bytes<float>({1, 2, 3}));
  const auto odd = Write("odd.raw", "12345");
  const auto nan =
      Write("nan.raw", Bytes<float>({1, 2, std::numeric_limits<float>::quiet_NaN(), 4, 5, 6}));
  EXPECT_EQ(MessageOf({}),
            "-input-list-file=list.txt: expected a line for each sample, found none");
  EXPECT_EQ(
      MessageOf({{a, b}, {a}}),
      "-input-list-file=list.txt: sample 2: expected a raw file for each of the 2 inputs of the "
      "model, separated by commas, found 1");
  EXPECT_EQ(
      MessageOf({{half, b}}),
      "-input-list-file=list.txt: sample 1: '" + half +
          "' has 12 bytes, expected 24 for input 'a' (float32 2x3); one list serves one batch "
          "size: check -batchsize");
  EXPECT_EQ(MessageOf({{odd, b}}), "-input-list-file=list.txt: sample 1: '" + odd +
                                       "' has 5 bytes, expected 24 for input 'a' (float32 2x3)");
  EXPECT_THAT(MessageOf({{"none.raw", b}}),
              HasSubstr("-input-list-file=list.txt: sample 1: 'none.raw' cannot be read: No such "
                        "file or directory; relative paths begin in the current folder"));
  EXPECT_THAT(MessageOf({{nan, b}}), HasSubstr("nan.raw"));
}

TEST(QaicGaussianSamplesTest, AreNormalAndRepeat) {
  testing::GraphBuilder net;
  const ValueId x = net.Input("x", {10000});
  const Graph graph = net.Finish({net.Add(OpKind::kRelu, "relu", {x})});
  const Dataset samples = GaussianSamples(graph, 2, 5);
  EXPECT_FALSE(samples.representative);
  double sum = 0;
  double squares = 0;
  const Tensor tensor = samples.Read(0).inputs[0];
  for (const float value : tensor.values<float>()) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  // Five standard errors of mean (1 / 100) and variance (sqrt(2) / 100).
  EXPECT_NEAR(sum / 10000, 0, 0.05);
  EXPECT_NEAR(squares / 10000, 1, 5 * std::sqrt(2.0) / 100);
  EXPECT_EQ(samples.Hash(), GaussianSamples(graph, 2, 5).Hash());
  EXPECT_NE(samples.Hash(), GaussianSamples(graph, 2, 6).Hash());
}

}  // namespace
}  // namespace halftone
