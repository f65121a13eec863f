// Chains of element-wise steps: the bits of steps that run alone, in every dtype and form.
#include "src/exec/chains.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "kernels/parallel.h"
#include "src/base/rng.h"
#include "src/exec/executable.h"
#include "src/exec/place_parts.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::halftone::testing::AllocationCounter;
using ::halftone::testing::GraphBuilder;

// Above kLeastChainBytes in 16-bit types, and no multiple of a tile or a vector.
const Shape kImage{3, 7, 331, 311};

Tensor RandomTensor(TensorType type, std::uint64_t seed) {
  Tensor tensor(std::move(type));
  Rng rng(seed);
  for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
    StoreDouble(tensor.dtype(), tensor.mutable_data(), i, rng.Uniform(-4, 4));
  }
  // What arithmetic treats as special, scattered.
  const double special[] = {0.0,
                            -0.0,
                            std::numeric_limits<double>::infinity(),
                            1e-40,
                            6e4,
                            -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()};
  for (std::size_t k = 0; k < std::size(special); ++k) {
    for (std::int64_t i = static_cast<std::int64_t>(17 * k); i < tensor.ElementCount(); i += 9973) {
      StoreDouble(tensor.dtype(), tensor.mutable_data(), i, special[k]);
    }
  }
  return tensor;
}

// Each node is one of chain 1, whatever it is: what cannot go by tiles has to be noticed.
Graph Chained(Graph graph) {
  for (Node& node : graph.nodes) {
    if (InfoOf(node.op).Is(kElementwise)) {
      node.chain = 1;
    }
  }
  return graph;
}

std::vector<Tensor> Inputs(const Executable& executable) {
  std::vector<Tensor> inputs;
  for (const TensorType& type : executable.input_types()) {
    inputs.push_back(RandomTensor(type, inputs.size() + 1));
  }
  return inputs;
}

// NaN is NaN: which of two operands a NaN is taken from, and with it its sign, is left to the
// compiler, which decides otherwise for the end of a loop.
void ExpectSameBits(const std::vector<Tensor>& expected, const std::vector<Tensor>& found) {
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(expected[i].type(), found[i].type());
    if (std::memcmp(expected[i].data(), found[i].data(),
                    static_cast<std::size_t>(expected[i].size_bytes())) == 0) {
      continue;
    }
    const std::vector<double> want = DoublesOf(expected[i]);
    const std::vector<double> got = DoublesOf(found[i]);
    for (std::size_t e = 0; e < want.size(); ++e) {
      ASSERT_TRUE(std::isnan(want[e])
                      ? std::isnan(got[e])
                      : want[e] == got[e] && std::signbit(want[e]) == std::signbit(got[e]))
          << "output " << i << ", element " << e << ": expected " << want[e] << ", got " << got[e];
    }
  }
}

// The graph joined, on one to three threads, against itself with no chain; and step by step, where
// every value that a step makes is looked at.
void ExpectBitsOfSteps(const Graph& graph, const PrecisionPlan& plan) {
  const Executable alone = Compile(graph, plan);
  const Executable joined = Compile(Chained(graph), plan);
  const std::vector<Tensor> inputs = Inputs(alone);
  const std::vector<Tensor> expected = alone.Run(inputs);
  for (const int threads : {1, 2, 3}) {
    const ThreadPool pool(threads);
    std::vector<Tensor> found;
    pool.Run([&] { found = joined.Run(inputs); });
    ExpectSameBits(expected, found);
  }
  std::map<std::string, std::vector<std::byte>> values;
  const auto observe = [&](const Executable& executable, bool compare) {
    Workspace workspace = executable.NewWorkspace();
    std::vector<Tensor> outputs = executable.NewOutputs();
    executable.RunObserved(
        workspace, inputs, outputs, [&](std::size_t s, std::span<void* const> results) {
          const StepInfo& step = executable.steps()[s];
          const auto* bytes = static_cast<const std::byte*>(results[0]);
          const auto size =
              static_cast<std::size_t>(executable.step_output_types(s)[0].size_bytes());
          const auto [known, is_new] = values.try_emplace(step.node + step.op, bytes, bytes + size);
          EXPECT_EQ(is_new, !compare) << step.node;
          EXPECT_EQ(std::memcmp(known->second.data(), bytes, size), 0) << step.node;
        });
    ExpectSameBits(expected, outputs);
  };
  observe(alone, false);
  observe(joined, true);
}

std::size_t ChainedSteps(const Graph& graph, const PrecisionPlan& plan) {
  Program program = Lower(Chained(graph), plan);
  GatherChains(program);
  std::size_t chained = 0;
  std::size_t run = 1;
  for (std::size_t s = 1; s <= program.steps.size(); ++s) {
    const bool goes_on = s < program.steps.size() && program.steps[s].chain != 0 &&
                         program.steps[s].chain == program.steps[s - 1].chain;
    run = goes_on ? run + 1 : 1;
    chained = std::max(chained, run);
  }
  return chained;
}

PrecisionPlan PlanIn(const Graph& graph, DType dtype) {
  PrecisionPlan plan = ReferencePlan(graph);
  for (NodePrecision& node : plan.nodes) {
    for (auto* dtypes : {&node.inputs, &node.outputs}) {
      for (NumericFormat& each : *dtypes) {
        each = each == DType::kFloat32 ? dtype : each;
      }
    }
  }
  return plan;
}

struct Case {
  const char* name;
  Graph (*make)();
};

Graph Unary(std::initializer_list<OpKind> ops) {
  GraphBuilder builder;
  ValueId value = builder.Input("x", kImage);
  int n = 0;
  for (const OpKind op : ops) {
    value = builder.Add(op, "node" + std::to_string(n++), {value});
  }
  return builder.Finish({value});
}

ValueId Number(GraphBuilder& builder, const std::string& name, Shape shape) {
  return builder.Constant(name, RandomTensor({DType::kFloat32, std::move(shape)}, 7));
}

const Case kCases[] = {
    {"OneOperand",
     [] {
       return Unary({OpKind::kAbs, OpKind::kSqrt, OpKind::kExp, OpKind::kNeg, OpKind::kSigmoid});
     }},
    {"Activations",
     [] {
       return Unary({OpKind::kHardSwish, OpKind::kTanh, OpKind::kGelu, OpKind::kMish,
                     OpKind::kSwish, OpKind::kSoftplus, OpKind::kErf, OpKind::kLog});
     }},
    {"TwoOperands",
     [] {
       GraphBuilder b;
       const ValueId x = b.Input("x", kImage);
       const ValueId z = b.Input("z", kImage);
       ValueId y = b.Add(OpKind::kMul, "scalar", {x, Number(b, "s", {})});
       y = b.Add(OpKind::kAdd, "channel", {y, Number(b, "c", {7, 1, 1})});
       y = b.Add(OpKind::kSub, "row", {Number(b, "r", {311}), y});
       y = b.Add(OpKind::kMax, "image", {y, Number(b, "i", {3, 1, 331, 1})});
       y = b.Add(OpKind::kPRelu, "prelu", {y, Number(b, "p", {7, 1, 1})});
       y = b.Add(OpKind::kDiv, "div", {y, z});
       return b.Finish({b.Add(OpKind::kMin, "min", {x, y})});
     }},
    {"BranchesThatMeet",
     [] {
       GraphBuilder b;
       const ValueId x = b.Input("x", kImage);
       const ValueId a = b.Add(OpKind::kAbs, "a", {x});
       const ValueId c = b.Add(OpKind::kMul, "c", {b.Add(OpKind::kSigmoid, "s", {a}), a});
       return b.Finish({b.Add(OpKind::kAdd, "d", {c, b.Add(OpKind::kNeg, "n", {a})})});
     }},
    {"MoreValuesThanTiles",
     [] {
       GraphBuilder b;
       const ValueId x = b.Input("x", kImage);
       std::vector<ValueId> values;
       for (int i = 0; i < 7; ++i) {
         values.push_back(b.Add(OpKind::kMul, "m" + std::to_string(i),
                                {x, Number(b, "k" + std::to_string(i), {})}));
       }
       ValueId sum = values[0];
       for (std::size_t i = 1; i < values.size(); ++i) {
         sum = b.Add(OpKind::kAdd, "a" + std::to_string(i), {sum, values[i]});
       }
       return b.Finish({sum});
     }},
    {"ValuesThatOthersRead",
     [] {
       GraphBuilder b;
       const ValueId x = b.Input("x", kImage);
       const ValueId a = b.Add(OpKind::kAbs, "a", {x});
       const ValueId n = b.Add(OpKind::kNeg, "n", {a});
       const ValueId e = b.Add(OpKind::kExp, "e", {n});
       Attributes perm;
       perm.Set("perm", std::vector<std::int64_t>{3, 2, 1, 0});
       return b.Finish({b.Add(OpKind::kTranspose, "t", {a}, perm), n, e});
     }},
    {"AnotherShapeInBetween",
     [] {
       GraphBuilder b;
       const ValueId a = b.Add(OpKind::kAbs, "a", {b.Input("x", kImage)});
       const ValueId r =
           b.Add(OpKind::kReshape, "reshape", {a, b.Integers("shape", {21, 331 * 311})});
       return b.Finish(
           {b.Add(OpKind::kMul, "m", {b.Add(OpKind::kNeg, "n", {r}), Number(b, "c", {21, 1})})});
     }},
    {"BoolsAndWhere",
     [] {
       GraphBuilder b;
       const ValueId x = b.Input("x", kImage);
       const ValueId a = b.Add(OpKind::kAbs, "a", {x});
       const ValueId less = b.Add(OpKind::kLess, "less", {x, a});
       const ValueId w = b.Add(OpKind::kWhere, "where", {less, a, x});
       return b.Finish({b.Add(OpKind::kNeg, "n", {b.Add(OpKind::kExp, "e", {w})})});
     }},
    {"OtherNodesInBetween",
     [] {
       GraphBuilder b;
       const ValueId x = b.Input("x", kImage);
       const ValueId a = b.Add(OpKind::kAbs, "a", {x});
       const ValueId z = b.Input("z", kImage);
       const ValueId soft = b.Add(OpKind::kSoftmax, "softmax", {z});
       return b.Finish({b.Add(OpKind::kAdd, "m", {b.Add(OpKind::kNeg, "n", {a}), soft})});
     }},
};

class ChainsTest : public ::testing::TestWithParam<Case> {};

TEST_P(ChainsTest, HasTheBitsOfStepsThatRunAlone) {
  const Graph graph = GetParam().make();
  EXPECT_GT(ChainedSteps(graph, ReferencePlan(graph)), 1U);
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    SCOPED_TRACE(NameOf(dtype));
    ExpectBitsOfSteps(graph, PlanIn(graph, dtype));
  }
}

// Node by node another dtype: casts between the nodes run with them.
TEST_P(ChainsTest, HasTheBitsOfStepsInMixedDTypes) {
  constexpr DType kTurns[] = {DType::kFloat16, DType::kFloat32, DType::kBFloat16};
  const Graph graph = GetParam().make();
  PrecisionPlan plan = ReferencePlan(graph);
  for (std::size_t n = 0; n < plan.nodes.size(); ++n) {
    plan.nodes[n] = PlanIn(graph, kTurns[n % 3]).nodes[n];
  }
  ExpectBitsOfSteps(graph, plan);
}

TEST_P(ChainsTest, HasTheBitsOfStepsInHighPerformance) {
  const Graph graph = GetParam().make();
  PrecisionPlan plan = ReferencePlan(graph);
  for (NodePrecision& node : plan.nodes) {
    node.impl_mode = ImplMode::kHighPerformance;
  }
  ExpectBitsOfSteps(graph, plan);
}

TEST_P(ChainsTest, NeedsNoMoreOfTheArenaThanItHasValues) {
  const Graph graph = GetParam().make();
  const Executable alone = Compile(graph, ReferencePlan(graph));
  const Executable joined = Compile(Chained(graph), ReferencePlan(graph));
  // What goes in and comes out lives as long as the chain, and so do values beyond the first tile.
  const auto tensor = static_cast<std::size_t>(kImage.ElementCount()) * sizeof(float);
  EXPECT_LE(joined.peak_arena_bytes(), alone.peak_arena_bytes() + 4 * tensor);
}

INSTANTIATE_TEST_SUITE_P(Graphs, ChainsTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Chains, ARowOfStepsNeedsNoMoreOfTheArena) {
  const Graph graph = Unary({OpKind::kAbs, OpKind::kNeg, OpKind::kExp, OpKind::kAbs});
  EXPECT_LE(Compile(Chained(graph), ReferencePlan(graph)).peak_arena_bytes(),
            Compile(graph, ReferencePlan(graph)).peak_arena_bytes());
}

// So large that the result is written past the caches.
TEST(Chains, LargeResultsHaveTheBitsOfSteps) {
  GraphBuilder b;
  const ValueId x = b.Input("x", {3, 1024, 2741});
  const ValueId a = b.Add(OpKind::kAbs, "a", {x});
  const Graph graph = b.Finish({b.Add(OpKind::kMul, "m", {a, Number(b, "row", {2741})})});
  ExpectBitsOfSteps(graph, ReferencePlan(graph));
}

TEST(Chains, AllocateNothing) {
  const Graph graph = Chained(Unary({OpKind::kAbs, OpKind::kNeg, OpKind::kExp}));
  const Executable executable = Compile(graph, ReferencePlan(graph));
  const std::vector<Tensor> inputs = Inputs(executable);
  Workspace workspace = executable.NewWorkspace();
  std::vector<Tensor> outputs = executable.NewOutputs();
  const ThreadPool pool(1);
  pool.Run([&] {
    executable.Run(workspace, inputs, outputs);
    const AllocationCounter counter;
    executable.Run(workspace, inputs, outputs);
    EXPECT_EQ(counter.count(), 0U);
  });
}

std::size_t ChainsOfAbs(DType dtype, std::size_t steps, std::int64_t bytes) {
  GraphBuilder b;
  ValueId y = b.Input("x", {bytes / static_cast<std::int64_t>(SizeOf(dtype))});
  for (std::size_t i = 0; i < steps; ++i) {
    y = b.Add(OpKind::kAbs, "abs" + std::to_string(i), {y});
  }
  const Graph graph = Chained(b.Finish({y}));
  Program program = Lower(graph, PlanIn(graph, dtype));
  GatherChains(program);
  const std::vector<ChainStep> tiled(program.steps.size(),
                                     {.run = [](const RangeArgs&) noexcept {}});
  return PlanChains(program, tiled).size();
}

TEST(Chains, RunAsSuchFromTheSizeOnWhereTheyGain) {
  EXPECT_EQ(ChainsOfAbs(DType::kFloat32, 2, kLeastChainBytes), 1U);
  EXPECT_EQ(ChainsOfAbs(DType::kFloat32, 2, kLeastChainBytes - 4), 0U);
  EXPECT_EQ(ChainsOfAbs(DType::kFloat32, kLeastFloat32Steps, kLeastFloat32Bytes), 1U);
  EXPECT_EQ(ChainsOfAbs(DType::kFloat32, kLeastFloat32Steps, kLeastFloat32Bytes - 4), 0U);
  EXPECT_EQ(ChainsOfAbs(DType::kFloat16, 2, kLeastChainBytes), 1U);
  EXPECT_EQ(ChainsOfAbs(DType::kFloat16, 9, kLeastChainBytes - 2), 0U);
}

// Two chains whose nodes stand in each other's way are both brought together.
TEST(Chains, InterleavedChainsAreGathered) {
  GraphBuilder b;
  const ValueId x = b.Input("x", kImage);
  const ValueId a1 = b.Add(OpKind::kAbs, "a1", {x});
  const ValueId b1 = b.Add(OpKind::kNeg, "b1", {x});
  const ValueId a2 = b.Add(OpKind::kExp, "a2", {a1});
  const ValueId b2 = b.Add(OpKind::kExp, "b2", {b1});
  Graph graph = b.Finish({a2, b2});
  for (const std::size_t n : {0, 1, 2, 3}) {
    graph.nodes[n].chain = static_cast<std::int64_t>(1 + n % 2);
  }
  Program program = Lower(graph, ReferencePlan(graph));
  GatherChains(program);
  std::string order;
  for (const Step& step : program.steps) {
    order += step.node + " ";
  }
  EXPECT_EQ(order, "a1 a2 b1 b2 ");
}

}  // namespace
}  // namespace halftone
