// The arena of compiled networks against what is alive in them at once.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/base/rng.h"
#include "src/exec/executable.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;

// A random network of convolutions, activations, sums and joins over images of 6x6, each operand
// one of the last ten values: branches, skips, values that wait long.
Graph RandomNetwork(std::uint64_t seed) {
  Rng rng(seed);
  GraphBuilder builder;

  struct Image {
    ValueId id;
    std::int64_t channels;
  };

  std::vector<Image> images = {{builder.Input("x", {1, 8, 6, 6}), 8}};
  const auto pick = [&]() -> const Image& {
    const std::size_t recent = std::min<std::size_t>(images.size(), 10);
    return images[images.size() - 1 - rng.Below(recent)];
  };
  const std::size_t nodes = 5 + rng.Below(60);
  for (std::size_t n = 0; n < nodes; ++n) {
    const std::string name = "node" + std::to_string(n);
    const Image a = pick();
    const Image b = pick();
    switch (rng.Below(4)) {
      case 0: {
        const auto channels = static_cast<std::int64_t>(1 + rng.Below(40));
        const ValueId w = builder.Constant("w" + std::to_string(n),
                                           Tensor(DType::kFloat32, {channels, a.channels, 1, 1}));
        images.push_back({builder.Add(OpKind::kConv, name, {a.id, w}), channels});
        break;
      }
      case 1:
        images.push_back({builder.Add(OpKind::kTanh, name, {a.id}), a.channels});
        break;
      case 2:
        images.push_back(
            {builder.Add(OpKind::kAdd, name, {a.id, a.channels == b.channels ? b.id : a.id}),
             a.channels});
        break;
      default: {
        if (a.channels + b.channels > 100) {
          break;
        }
        Attributes axis;
        axis.Set("axis", std::int64_t{1});
        images.push_back(
            {builder.Add(OpKind::kConcat, name, {a.id, b.id}, axis), a.channels + b.channels});
      }
    }
  }
  return builder.Finish({images.back().id, images[images.size() / 2].id});
}

PrecisionPlan AllOf(const Graph& graph, DType dtype) {
  PrecisionPlan plan = ReferencePlan(graph);
  for (NodePrecision& node : plan.nodes) {
    for (auto* dtypes : {&node.inputs, &node.outputs}) {
      std::replace(dtypes->begin(), dtypes->end(), DType::kFloat32, dtype);
    }
  }
  return plan;
}

class ArenaTest : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ArenaTest, IsWithinAFifthOfWhatIsAlive) {
  const Graph graph = RandomNetwork(GetParam());
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    const Executable executable = Compile(graph, AllOf(graph, dtype));
    EXPECT_GE(executable.peak_arena_bytes(), executable.liveness_bound_bytes());
    EXPECT_LE(5 * executable.peak_arena_bytes(), 6 * executable.liveness_bound_bytes())
        << NameOf(dtype) << ", seed " << GetParam();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ArenaTest, ::testing::Range<std::uint64_t>(0, 100));

}  // namespace
}  // namespace halftone
