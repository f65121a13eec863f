// For every fusion, random plans keep within its bound and within the rules for the precision of
// fused nodes.
#include "tests/exec/fusion_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "src/exec/executable.h"
#include "src/exec/fuse_by_plan.h"
#include "src/passes/passes.h"
#include "tests/support/fused_precision_check.h"

namespace halftone {
namespace {

using namespace fusion_rows;  // NOLINT(google-build-using-namespace): of the samples
using ::testing::IsEmpty;

template <typename T, std::size_t n>
T OneOf(const T (&choices)[n], Rng& rng) {
  return choices[rng.Below(n)];
}

// Each node in a dtype out of `dtypes` and in any mode. Matrix operators of 16-bit operands may
// have float32 results, and then biases; what no mode changes stays as it is.
PrecisionPlan RandomPlan(const Graph& graph, const std::vector<DType>& dtypes, Rng& rng) {
  constexpr ImplMode kModes[] = {ImplMode::kDefault, ImplMode::kHighPrecision,
                                 ImplMode::kHighPerformance};
  PrecisionPlan plan = ReferencePlan(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const OpInfo& info = InfoOf(node.op);
    const DType dtype = dtypes[rng.Below(dtypes.size())];
    const DType result = info.Is(kCube) && rng.Below(3) == 0 ? kF32 : dtype;
    const auto choose = [&](std::string_view signature, const std::vector<ValueId>& ids,
                            std::vector<NumericFormat>& of) {
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto item = SignatureItemAt(signature, i);
        ASSERT_TRUE(item) << Describe(node);
        if (item->letter == 'T' && (ids[i] == kNoValue || IsTunable(of[i].dtype()))) {
          of[i] = dtype;
        } else if (item->letter == 'Y') {
          of[i] = result;
        }
      }
    };
    NodePrecision& precision = plan.nodes[n];
    choose(info.inputs, node.inputs, precision.inputs);
    choose(info.outputs, node.outputs, precision.outputs);
    precision.impl_mode = OneOf(kModes, rng);
  }
  return plan;
}

// With float32, with one of the 16-bit types, or both.
std::vector<DType> RandomDTypes(Rng& rng) {
  const std::vector<DType> choices[] = {
      {kF32, kF16}, {kF32, kBF16}, {kF32, kF16, kBF16}, {kF16}, {kBF16}};
  return choices[rng.Below(std::size(choices))];
}

std::set<DType> FloatsOf(const PrecisionPlan& plan) {
  std::set<DType> dtypes;
  for (const NodePrecision& node : plan.nodes) {
    for (const std::vector<DType>& of : {DTypesOf(node.inputs), DTypesOf(node.outputs)}) {
      std::copy_if(of.begin(), of.end(), std::inserter(dtypes, dtypes.end()), IsFloating);
    }
  }
  return dtypes;
}

class FusionRow : public ::testing::TestWithParam<Row> {};

// The hash of what is run for the plan without the fusions in `off`.
Hash128 StepsWithout(Graph graph, const PrecisionPlan& plan,
                     std::set<std::string, std::less<>> off) {
  graph.fusions_off = std::move(off);
  FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
  fused.graph.fusions_off.clear();  // the hash is of them, too
  return HashOf(fused.graph);
}

// Whether the pass of the row changes what is run for the plan.
bool IsFused(const Graph& graph, const PrecisionPlan& plan, const std::string& pass) {
  return StepsWithout(graph, plan, {}) != StepsWithout(graph, plan, {pass});
}

std::vector<Tensor> InputsOf(const Graph& graph, const Row& row, Rng& rng) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs) {
    inputs.push_back(Multiples(graph.value(id).type, rng, row.most, row.step));
  }
  return inputs;
}

Tensor ResultOf(const Graph& graph, const PrecisionPlan& plan, const std::vector<Tensor>& inputs,
                bool fuse) {
  CompileOptions options;
  options.kernels.reference_only = true;
  options.fuse = fuse;
  return Compile(graph, plan, options).Run(inputs).at(0);
}

void ExpectWithin(const Row& row, const Graph& graph, const PrecisionPlan& plan,
                  const std::vector<Tensor>& inputs) {
  const Tensor unfused = ResultOf(graph, plan, inputs, false);
  const Tensor fused = ResultOf(graph, plan, inputs, true);
  ASSERT_EQ(unfused.type(), fused.type());
  if (row.bound == kExact) {
    ASSERT_EQ(DoublesOf(unfused), DoublesOf(fused));
    ASSERT_EQ(
        std::memcmp(unfused.data(), fused.data(), static_cast<std::size_t>(fused.size_bytes())), 0)
        << "zeros of another sign";
    return;
  }
  std::vector<std::vector<double>> values;
  for (const Tensor& input : inputs) {
    values.push_back(DoublesOf(input));
  }
  double u = 0;
  double step = 0;
  for (const DType dtype : FloatsOf(plan)) {
    u = std::max(u, testing::UnitRoundoff(dtype));
    step = std::max(step, testing::HalfSubnormalStep(dtype));
  }
  const std::vector<double> left = DoublesOf(unfused);
  const std::vector<double> right = DoublesOf(fused);
  for (std::size_t i = 0; i < left.size(); ++i) {
    ASSERT_TRUE(std::isfinite(left[i]) && std::isfinite(right[i])) << "element " << i;
    const Element element{.graph = graph,
                          .inputs = values,
                          .fused = right,
                          .i = static_cast<std::int64_t>(i),
                          .u = u,
                          .step = step};
    ASSERT_LE(std::abs(left[i] - right[i]), row.bound(element))
        << "element " << i << ": unfused " << left[i] << ", fused " << right[i] << ", u " << u;
  }
}

const Pass& PassOf(const Row& row) {
  const auto passes = AllPasses();
  return *std::find_if(passes.begin(), passes.end(),
                       [&](const Pass& pass) { return pass.name == row.pass; });
}

TEST(FusionRows, ThereIsOneForEachFusionOfLowering) {
  std::set<std::string_view> expected;
  for (const Pass& pass : AllPasses()) {
    if (pass.stage == PassStage::kLowering && pass.fusion != FusionKind::kNone) {
      expected.insert(pass.name);
    }
  }
  std::set<std::string_view> found;
  for (const Row& row : FusionRows()) {
    found.insert(row.pass);
  }
  EXPECT_EQ(found, expected);
}

TEST_P(FusionRow, IsFusedInFloat32) {
  const Graph graph = GetParam().make();
  const PrecisionPlan plan = ReferencePlan(graph);
  EXPECT_TRUE(IsFused(graph, plan, GetParam().pass));
  EXPECT_THAT(FuseByPlan(graph, plan, nullptr).kept_apart, IsEmpty());
}

constexpr std::uint64_t kPlans = 60;

TEST_P(FusionRow, ResultsStayWithinTheBoundForAnyPlan) {
  const Row& row = GetParam();
  const Graph graph = row.make();
  std::uint64_t fused = 0;
  for (std::uint64_t seed = 1; seed <= kPlans; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const PrecisionPlan plan = RandomPlan(graph, RandomDTypes(rng), rng);
    fused += IsFused(graph, plan, row.pass) ? 1 : 0;
    ASSERT_NO_FATAL_FAILURE(ExpectWithin(row, graph, plan, InputsOf(graph, row, rng)));
  }
  // Only what goes into weights depends on dtypes, and none of these modes keeps neighbours apart.
  if (PassOf(row).rule.values == FusedValues::kWeights) {
    EXPECT_GT(fused, kPlans / 4);
  } else {
    EXPECT_EQ(fused, kPlans);
  }
}

TEST_P(FusionRow, NoPartIsComputedWithLess) {
  const Graph graph = GetParam().make();
  for (std::uint64_t seed = 1; seed <= kPlans; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const PrecisionPlan plan = RandomPlan(graph, RandomDTypes(rng), rng);
    const FusedNetwork fused = FuseByPlan(graph, plan, nullptr);
    ASSERT_THAT(testing::FusedPrecisionFaults(graph, plan, fused), IsEmpty());
    ASSERT_THAT(testing::FusedPrecisionFaults(graph, plan, Unfused(graph, plan)), IsEmpty());
  }
}

// A mode that a plan leaves open (default) is that of the kernel which runs then.
TEST_P(FusionRow, NoPartThatRunsAnExactKernelRunsAFastOne) {
  const Graph graph = GetParam().make();
  for (std::uint64_t seed = 1; seed <= kPlans; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const PrecisionPlan plan = RandomPlan(graph, RandomDTypes(rng), rng);
    ASSERT_THAT(testing::FastKernelFaults(graph, plan), IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(Fusions, FusionRow,
                         ::testing::ValuesIn(FusionRows().begin(), FusionRows().end()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halftone
