#include <algorithm>

#include "kernels/parallel.h"
#include "kernels/reduce/reduce.h"
#include "kernels/shared_components.h"
#include "kernels/table_rows.h"
#include "src/base/error.h"

namespace halftone {
namespace {

// Columns of a block, the unit of work if the reduced axes are not the last ones.
constexpr std::int64_t kBlockColumns = 1024;

// Cost of a loop, in elements. `grain`: elements that are worth waking a worker, 25 us at 0.05 ns
// each, or 0.8 ns with an exponential. `of_a_row`: overhead of a row, about 5 ns, or 25 ns with an
// exponential.
struct LoopCost {
  std::int64_t grain;
  std::int64_t of_a_row;
};

constexpr LoopCost kSums{500'000, 100};
constexpr LoopCost kExponentials{30'000, 30};

struct LoopState : KernelState {
  ReduceLoop loop = nullptr;
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
  std::int64_t element_bytes = 0;
  LoopCost cost{};
};

std::string_view Refusal(const KernelQuery& query) {
  if (query.Input(1) != nullptr && query.Constant(1) == nullptr) {
    return "the axes are not constant";
  }
  // One run of reduced axes.
  int runs = 0;
  bool before = false;
  for (const bool reduced : ReducedAxes(query)) {
    runs += reduced && !before ? 1 : 0;
    before = reduced;
  }
  return runs == 1 ? "" : "the reduced axes are not adjacent";
}

template <ImplMode kMode, ReduceLoop (*kFind)(OpKind, DType, ImplMode), const LoopCost& kCost>
std::unique_ptr<KernelState> Prepare(const KernelQuery& query) {
  auto state = std::make_unique<LoopState>();
  const TensorType& x = *query.Input(0);
  const auto reduced = ReducedAxes(query);
  const auto first = std::find(reduced.begin(), reduced.end(), true);
  for (auto it = reduced.begin(); it != reduced.end(); ++it) {
    std::int64_t& part = *it ? state->length : (it < first ? state->outer : state->inner);
    part *= x.shape[static_cast<int>(it - reduced.begin())];
  }
  state->element_bytes = static_cast<std::int64_t>(SizeOf(x.dtype));
  state->loop = kFind(query.op, x.dtype, kMode);
  state->cost = kCost;
  Check(state->loop != nullptr, "a reduction has no case in kernels/reduce/vector_loops.cc");
  return state;
}

void Run(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const LoopState&>(*args.state);
  const auto* x = static_cast<const std::byte*>(args.inputs[0]);
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  const auto run = [&](std::int64_t outer, std::int64_t column, std::int64_t count) {
    s.loop(x + (outer * s.length * s.inner + column) * s.element_bytes,
           y + (outer * s.inner + column) * s.element_bytes, {s.length, s.inner, count});
  };
  // Columns of one outer index are split, too: one may be all there is.
  const std::int64_t blocks = (s.inner + kBlockColumns - 1) / kBlockColumns;
  const std::int64_t elements = s.length * std::min(s.inner, kBlockColumns) + s.cost.of_a_row;
  ParallelFor(s.outer * blocks, std::max<std::int64_t>(1, s.cost.grain / elements),
              [&](std::int64_t begin, std::int64_t end) {
                if (s.inner == 1) {
                  return run(begin, 0, end - begin);
                }
                for (std::int64_t i = begin; i < end; ++i) {
                  const std::int64_t column = i % blocks * kBlockColumns;
                  run(i / blocks, column, std::min(kBlockColumns, s.inner - column));
                }
              });
}

constexpr ImplMode kAnyMode = ImplMode::kDefault;
constexpr ImplMode kPrecise = ImplMode::kHighPrecision;
constexpr ImplMode kFast = ImplMode::kHighPerformance;

constexpr Component kLoops{"reduce.loops", 3, "columns in blocks, short rows side by side"};

template <ImplMode kMode, ReduceLoop (*kFind)(OpKind, DType, ImplMode) = FindReduceLoop,
          const LoopCost& kCost = kSums>
constexpr KernelEntry Vector(std::string_view name, OpKind op) {
  return KernelEntry{
      name, op, kTunableDTypes, kMode, kIsaAny, Refusal, Prepare<kMode, kFind, kCost>, nullptr, Run}
      .MadeOf({&kLoops});
}

constexpr KernelEntry Reference(std::string_view name, OpKind op) {
  return {name,
          op,
          kAllDTypes,
          kAnyMode,
          kIsaAny,
          nullptr,
          PrepareReduceReference,
          ReduceReferenceScratch,
          RunReduceReference,
          true};
}

constexpr Component kReduce{.name = "reduce"};

constexpr KernelEntry kRows[] = {
    Vector<kPrecise>("reduce.sum.precise", OpKind::kReduceSum),
    Vector<kFast>("reduce.sum.fast", OpKind::kReduceSum),
    Vector<kPrecise>("reduce.mean.precise", OpKind::kReduceMean),
    Vector<kFast>("reduce.mean.fast", OpKind::kReduceMean),
    Vector<kPrecise>("reduce.l1.precise", OpKind::kReduceL1),
    Vector<kFast>("reduce.l1.fast", OpKind::kReduceL1),
    Vector<kPrecise>("reduce.l2.precise", OpKind::kReduceL2),
    Vector<kFast>("reduce.l2.fast", OpKind::kReduceL2),
    Vector<kPrecise>("reduce.sum_square.precise", OpKind::kReduceSumSquare),
    Vector<kFast>("reduce.sum_square.fast", OpKind::kReduceSumSquare),
    Vector<kPrecise>("reduce.log_sum.precise", OpKind::kReduceLogSum),
    Vector<kFast>("reduce.log_sum.fast", OpKind::kReduceLogSum),
    Vector<kPrecise, FindLogSumExpLoop, kExponentials>("reduce.log_sum_exp.precise",
                                                       OpKind::kReduceLogSumExp)
        .MadeOf({&kVectorMath}),
    Vector<kFast, FindLogSumExpLoop, kExponentials>("reduce.log_sum_exp.fast",
                                                    OpKind::kReduceLogSumExp)
        .MadeOf({&kVectorMath}),
    Vector<kAnyMode>("reduce.max.vector", OpKind::kReduceMax),
    Vector<kAnyMode>("reduce.min.vector", OpKind::kReduceMin),
    Vector<kAnyMode>("reduce.prod.vector", OpKind::kReduceProd),
    {"reduce.arg_max.vector", OpKind::kArgMax, kTunableDTypes, kAnyMode, kIsaAny, RefuseArgMaxLoop,
     PrepareArgMaxLoop, nullptr, RunArgMaxLoop},
    {"reduce.arg_min.vector", OpKind::kArgMin, kTunableDTypes, kAnyMode, kIsaAny, RefuseArgMaxLoop,
     PrepareArgMaxLoop, nullptr, RunArgMaxLoop},
    Reference("reduce.sum.reference", OpKind::kReduceSum),
    Reference("reduce.mean.reference", OpKind::kReduceMean),
    Reference("reduce.l1.reference", OpKind::kReduceL1),
    Reference("reduce.l2.reference", OpKind::kReduceL2),
    Reference("reduce.sum_square.reference", OpKind::kReduceSumSquare),
    Reference("reduce.max.reference", OpKind::kReduceMax),
    Reference("reduce.min.reference", OpKind::kReduceMin),
    Reference("reduce.prod.reference", OpKind::kReduceProd),
    Reference("reduce.log_sum.reference", OpKind::kReduceLogSum),
    Reference("reduce.log_sum_exp.reference", OpKind::kReduceLogSumExp),
    {"reduce.arg_max.reference", OpKind::kArgMax, kAllDTypes, kAnyMode, kIsaAny, nullptr,
     PrepareArgMaxReference, nullptr, RunArgMaxReference, true},
    {"reduce.arg_min.reference", OpKind::kArgMin, kAllDTypes, kAnyMode, kIsaAny, nullptr,
     PrepareArgMaxReference, nullptr, RunArgMaxReference, true},
};

constexpr auto kEntries = MadeOf({&kReduce}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> ReduceKernels() {
  return kEntries;
}

}  // namespace halftone
