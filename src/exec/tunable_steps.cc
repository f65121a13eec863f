#include "src/exec/tunable_steps.h"

#include <algorithm>
#include <iterator>

#include "src/exec/chains.h"
#include "src/exec/operator_signature.h"
#include "src/exec/plan_layouts.h"
#include "src/exec/step_query.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

// A product of M rows reads its K x N weights once for M x N results. With fewer than M = K / 16
// rows, each element read is used fewer than some dozen times, and the product waits for memory.
constexpr std::int64_t kReadsPerResult = 16;

constexpr OpKind kProducts[] = {OpKind::kConv,          OpKind::kGemm,
                                OpKind::kMatMul,        OpKind::kConvInteger,
                                OpKind::kMatMulInteger, OpKind::kQLinearConv,
                                OpKind::kQLinearMatMul, OpKind::kQLinearConvTranspose};

bool IsMemoryBound(const KernelQuery& query) {
  if (std::find(std::begin(kProducts), std::end(kProducts), query.op) == std::end(kProducts)) {
    return true;
  }
  std::int64_t largest = 0;
  for (const TensorType* input : query.inputs) {
    largest = std::max(largest, input != nullptr ? input->shape.ElementCount() : 0);
  }
  return query.outputs.at(0) == nullptr ||
         largest > kReadsPerResult * query.outputs[0]->shape.ElementCount();
}

}  // namespace

std::vector<TunableStep> TunableSteps(const Graph& graph, const PrecisionPlan& plan, int threads,
                                      const CompileOptions& options, std::size_t least_kernels) {
  Program program = Lower(graph, plan, nullptr, options.fuse);
  PlanLayouts(program, options.kernels);
  GatherChains(program);
  std::vector<TunableStep> steps;
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    const Step& step = program.steps[s];
    const KernelQuery query = QueryOf(program, step);
    KernelPreference preference = options.kernels;
    preference.reference_only = preference.reference_only || step.reference_only;
    const auto candidates = KernelCandidates(query, preference);
    if (candidates.size() < least_kernels) {
      continue;
    }
    TunableStep tunable{.step = s,
                        .node = step.node,
                        .op = std::string(InfoOf(step.op).name),
                        .signature = OperatorSignature(query, threads),
                        .kernels = {},
                        .memory_bound = IsMemoryBound(query),
                        .parts = step.parts,
                        .shape = CallShapeOf(query)};
    for (const KernelEntry* candidate : candidates) {
      tunable.kernels.emplace_back(candidate->name);
    }
    steps.push_back(std::move(tunable));
  }
  return steps;
}

}  // namespace halftone
