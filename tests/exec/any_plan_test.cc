// Any combination of float dtypes runs, and gives what the roundings of its plan prescribe.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "src/exec/compute_dtypes.h"
#include "src/exec/executable.h"
#include "tests/support/node_in_double.h"
#include "tests/support/operator_samples.h"

namespace halftone {
namespace {

using ::halftone::testing::GraphBuilder;
using ::halftone::testing::SampleGraph;
using ::testing::ElementsAre;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kBF16 = DType::kBFloat16;
constexpr DType kF32 = DType::kFloat32;
constexpr DType kF64 = DType::kFloat64;

DType RandomFloat(Rng& rng) {
  constexpr DType kDTypes[] = {kF16, kF16, kF16, kF32, kF32, kBF16, kBF16, kF64};
  return kDTypes[rng.Below(std::size(kDTypes))];
}

std::vector<DType> RandomDTypes(const Graph& graph, const std::vector<ValueId>& ids, Rng& rng) {
  std::vector<DType> dtypes;
  for (const ValueId id : ids) {
    const DType original = id == kNoValue ? kF32 : graph.value(id).type.dtype;
    dtypes.push_back(IsFloating(original) ? RandomFloat(rng) : original);
  }
  return dtypes;
}

// Every tensor of every node in a dtype of its own; outputs as their nodes make them.
PrecisionPlan RandomPlan(const Graph& graph, Rng& rng) {
  PrecisionPlan plan;
  std::vector<DType> made(graph.values.size());
  plan.graph_inputs = RandomDTypes(graph, graph.inputs, rng);
  for (const Node& node : graph.nodes) {
    plan.nodes.push_back({.engine = rng.Below(4) == 0 ? Engine::kAiCpu : Engine::kAiCore,
                          .inputs = FormatsOf(RandomDTypes(graph, node.inputs, rng)),
                          .outputs = FormatsOf(RandomDTypes(graph, node.outputs, rng)),
                          .impl_mode = ImplMode::kHighPrecision,
                          .reason = "random"});
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      made[static_cast<std::size_t>(node.outputs[i])] = plan.nodes.back().outputs[i].dtype();
    }
  }
  for (const ValueId id : graph.outputs) {
    plan.graph_outputs.push_back(made[static_cast<std::size_t>(id)]);
  }
  return plan;
}

double Rounded(double value, DType dtype) {
  alignas(8) std::byte bytes[8];
  StoreDouble(dtype, bytes, 0, value);
  return DoubleAt(dtype, bytes, 0);
}

double LargestFinite(const Tensor& tensor) {
  double largest = 0;
  for (const double value : DoublesOf(tensor)) {
    largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
  }
  return largest;
}

// Kernels accumulate in float32 at least. A sum of n terms is off by less than n u times the sum of
// their magnitudes (Higham, "Accuracy and stability of numerical algorithms", 4.2); n is at most
// 6 * 6 * 4 here (a window, a row, a plane), and as terms are not negative that sum is at most the
// result, or n times the operand where the result is divided by n. Normalizations divide by a
// deviation, which is not far below the operands. Element functions are within 16 ulp
// (bounds in kernels/unary), far below that. Moved data is exact.
double KernelError(const Node& node, const std::vector<Tensor>& inputs, const Tensor& exact) {
  if (InfoOf(node.op).Is(kMovesData)) {
    return 0;
  }
  double scale = LargestFinite(exact);
  for (const Tensor& input : inputs) {
    scale = IsFloating(input.dtype()) ? std::max(scale, LargestFinite(input)) : scale;
  }
  constexpr double kTerms = 144;
  return kTerms * 0x1p-24 * scale;
}

// Recurrent operators store h between their 3 steps here, and each of 4 weights of at most 0.5
// passes its rounding on (kernels/recurrent/recurrent.h).
double StateError(const Node& node, DType computed_in) {
  const bool recurrent =
      node.op == OpKind::kLstm || node.op == OpKind::kGru || node.op == OpKind::kRnn;
  const double unit = computed_in == DType::kFloat16    ? 0x1p-11
                      : computed_in == DType::kBFloat16 ? 0x1p-8
                                                        : 0;
  return recurrent ? 3 * 4 * 0.5 * unit : 0;
}

// Rounding is monotonic: what a kernel may return lies between the rounded ends of its error.
void ExpectPrescribed(const Node& node, const std::vector<Tensor>& inputs, const Tensor& exact,
                      DType computed_in, const Tensor& got) {
  const double error = IsFloating(got.dtype())
                           ? KernelError(node, inputs, exact) + StateError(node, computed_in)
                           : 0;
  for (std::int64_t i = 0; i < got.ElementCount(); ++i) {
    const double want = DoubleAt(exact.dtype(), exact.data(), i);
    const double value = DoubleAt(got.dtype(), got.data(), i);
    const auto rounded = [&](double x) {
      return IsFloating(got.dtype()) ? Rounded(Rounded(x, computed_in), got.dtype()) : x;
    };
    const bool same = std::isnan(want)
                          ? std::isnan(value)
                          : rounded(want - error) <= value && value <= rounded(want + error);
    ASSERT_TRUE(same) << Describe(node) << " in " << NameOf(computed_in) << " as "
                      << NameOf(got.dtype()) << ", element " << i << ": expected " << want << " +- "
                      << error << ", got " << value;
  }
}

// The dtype of a float result before it is rounded to that of the plan.
DType ComputedIn(const Node& node, const NodePrecision& precision, std::size_t output) {
  return InfoOf(node.op).Is(kIsView) ? precision.outputs[output].dtype()
                                     : ComputeDTypesOf(node, precision).outputs[output];
}

void ExpectPlanIsFollowed(const Graph& graph, const PrecisionPlan& plan, Rng& rng) {
  const Executable executable = Compile(graph, plan);
  std::map<ValueId, Tensor> values;
  std::vector<Tensor> samples;
  for (const ValueId id : graph.inputs) {
    samples.emplace_back(graph.value(id).type);
    for (std::int64_t i = 0; i < samples.back().ElementCount(); ++i) {
      StoreDouble(samples.back().dtype(), samples.back().mutable_data(), i,
                  IsFloating(samples.back().dtype()) ? rng.Uniform(0.1, 3)
                                                     : static_cast<double>(rng.Below(2)));
    }
  }
  const std::vector<Tensor> inputs = executable.ConvertInputs(samples);
  const std::vector<Tensor> outputs = executable.Run(inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    values[graph.inputs[i]] = inputs[i];
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    ASSERT_EQ(outputs[i].dtype(), plan.graph_outputs[i]);
    values[graph.outputs[i]] = outputs[i];
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    std::vector<Tensor> operands;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      operands.push_back(id == kNoValue ? Tensor(kF32, Shape{0})
                         : graph.value(id).constant
                             ? Convert(*graph.value(id).constant, plan.nodes[n].inputs[i])
                             : Convert(values.at(id), plan.nodes[n].inputs[i]));
    }
    const std::vector<Tensor> exact = testing::InDouble(graph, node, operands);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      ASSERT_NO_FATAL_FAILURE(ExpectPrescribed(node, operands, exact[i],
                                               ComputedIn(node, plan.nodes[n], i),
                                               values.at(node.outputs[i])));
    }
  }
}

TEST(AnyPlanTest, RandomPlansOverAllOperatorsGiveWhatTheyPrescribe) {
  std::vector<OpKind> ops;
  for (const OpInfo& info : AllOps()) {
    ops.push_back(info.kind);
  }
  std::set<OpKind> seen;
  constexpr std::size_t kNodes = 12;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    Rng rng(seed);
    SampleGraph builder(seed);
    for (std::size_t i = 0; i < kNodes; ++i) {
      // In turn, so that every operator is called about sixteen times, each with another plan.
      const OpKind op = ops[(seed * kNodes + i * 7) % ops.size()];
      builder.AddCall(op);
      seen.insert(op);
    }
    const Graph graph = builder.Finish();
    const PrecisionPlan plan = RandomPlan(graph, rng);
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(ExpectPlanIsFollowed(graph, plan, rng));
  }
  EXPECT_EQ(seen.size(), ops.size());
}

struct ComputeCase {
  OpKind op;
  std::vector<DType> inputs;  // of the plan
  std::vector<DType> outputs;
  std::vector<DType> compute_inputs;
  std::vector<DType> compute_outputs;
};

class ComputeDTypesTest : public ::testing::TestWithParam<ComputeCase> {};

TEST_P(ComputeDTypesTest, IsTheWidestThatIsNeeded) {
  const ComputeCase& row = GetParam();
  Node node{.op = row.op, .name = "n", .origins = {}, .attributes = {}};
  node.inputs.assign(row.inputs.size(), 0);
  node.outputs.assign(row.outputs.size(), 1);
  const ComputeDTypes compute = ComputeDTypesOf(
      node, {.inputs = FormatsOf(row.inputs), .outputs = FormatsOf(row.outputs), .reason = {}});
  EXPECT_EQ(compute.inputs, row.compute_inputs);
  EXPECT_EQ(compute.outputs, row.compute_outputs);
}

constexpr DType kS64 = DType::kInt64;
constexpr DType kBool = DType::kBool;

INSTANTIATE_TEST_SUITE_P(
    Rows, ComputeDTypesTest,
    ::testing::Values(
        // What kernels have is left alone.
        ComputeCase{OpKind::kConv, {kF16, kF16, kF16}, {kF16}, {kF16, kF16, kF16}, {kF16}},
        ComputeCase{OpKind::kConv, {kF16, kF16, kF32}, {kF32}, {kF16, kF16, kF32}, {kF32}},
        ComputeCase{OpKind::kMatMul, {kBF16, kBF16}, {kF32}, {kBF16, kBF16}, {kF32}},
        ComputeCase{OpKind::kExp, {kF64}, {kF64}, {kF64}, {kF64}},
        ComputeCase{OpKind::kBatchNormalization,
                    {kF16, kF32, kF32, kF32, kF32},
                    {kF16},
                    {kF16, kF32, kF32, kF32, kF32},
                    {kF16}},
        // Bias and result differ: both float32, the products stay in 16 bits.
        ComputeCase{OpKind::kConv, {kF16, kF16, kF32}, {kF16}, {kF16, kF16, kF32}, {kF32}},
        ComputeCase{OpKind::kGemm, {kF16, kF16, kF16}, {kF32}, {kF16, kF16, kF32}, {kF32}},
        ComputeCase{OpKind::kMatMul, {kF16, kF16}, {kBF16}, {kF16, kF16}, {kF32}},
        // Operands of two dtypes, or wider than the result.
        ComputeCase{OpKind::kMatMul, {kF16, kBF16}, {kF16}, {kF32, kF32}, {kF32}},
        ComputeCase{OpKind::kMatMul, {kF32, kF16}, {kF16}, {kF32, kF32}, {kF32}},
        ComputeCase{OpKind::kMatMul, {kF16, kF16}, {kF64}, {kF64, kF64}, {kF64}},
        ComputeCase{OpKind::kRelu, {kF16}, {kF32}, {kF32}, {kF32}},
        ComputeCase{OpKind::kRelu, {kF32}, {kBF16}, {kF32}, {kF32}},
        ComputeCase{OpKind::kAdd, {kF16, kBF16}, {kF16}, {kF32, kF32}, {kF32}},
        ComputeCase{
            OpKind::kLayerNormalization, {kF16, kF32, kF32}, {kF16}, {kF32, kF32, kF32}, {kF32}},
        ComputeCase{OpKind::kWhere, {kBool, kF16, kF32}, {kF16}, {kBool, kF32, kF32}, {kF32}},
        ComputeCase{OpKind::kRange, {kF16, kF32, kF16}, {kF16}, {kF32, kF32, kF32}, {kF32}},
        ComputeCase{OpKind::kBatchNormalization,
                    {kF16, kF16, kF32, kF32, kF32},
                    {kF16},
                    {kF16, kF32, kF32, kF32, kF32},
                    {kF16}},
        // Casts convert anything; what is no float is left alone.
        ComputeCase{OpKind::kCast, {kF32}, {kF16}, {kF32}, {kF16}},
        ComputeCase{OpKind::kShape, {kF16}, {kS64}, {kF16}, {kS64}},
        ComputeCase{OpKind::kGreater, {kF16, kF32}, {kBool}, {kF32, kF32}, {kBool}},
        ComputeCase{OpKind::kAdd, {kS64, kS64}, {kS64}, {kS64, kS64}, {kS64}}));

}  // namespace
}  // namespace halftone
