#include "src/api/bank/point_kernels.h"

#include <fmt/format.h>

#include <set>

#include "kernels/parallel.h"
#include "src/api/bank/workload.h"
#include "src/base/text.h"
#include "src/exec/operator_signature.h"
#include "src/exec/tunable_steps.h"

namespace halftone {
namespace {

KernelVersion KernelsNow(const PointKernels& kernels) {
  std::set<OpKind> ops;
  for (const auto& [signature, kernel] : kernels.chosen) {
    if (const std::optional<OpKind> op = OperatorOf(signature)) {
      ops.insert(*op);
    }
  }
  return CurrentKernels(ops);
}

// "chosen on ..., this is ..."; empty: the kernels are valid here.
std::string Difference(const PointKernels& kernels, int threads) {
  const KernelVersion now = KernelsNow(kernels);
  const auto differ = [](std::string_view then, std::string_view here) {
    return fmt::format("chosen on {}, this is {}", then, here);
  };
  if (kernels.cpu != now.cpu) {
    return differ(kernels.cpu, now.cpu);
  }
  if (kernels.isa != now.isa) {
    return differ(kernels.isa, now.isa);
  }
  if (kernels.threads != threads) {
    return differ(Counted(kernels.threads, "thread"), Counted(threads, "thread"));
  }
  return kernels.table == now.kernel_table_hash ? ""
                                                : "chosen among the kernels of another version";
}

}  // namespace

std::optional<PointKernels> KernelsOfPoint(const Graph& graph, const PrecisionPlan& plan,
                                           const KernelChoices& choices) {
  if (choices.empty()) {
    return std::nullopt;
  }
  PointKernels kernels{
      .cpu = {}, .isa = {}, .table = {}, .threads = choices.threads(), .chosen = {}};
  // Speed-ups are over float32 with its kernels.
  for (const PrecisionPlan& of : {plan, ReferencePlan(graph)}) {
    for (const TunableStep& step : TunableSteps(graph, of, choices.threads())) {
      if (const auto chosen = choices.kernels().find(step.signature);
          chosen != choices.kernels().end()) {
        kernels.chosen.insert(*chosen);
      }
    }
  }
  if (kernels.chosen.empty()) {
    return std::nullopt;
  }
  const KernelVersion now = KernelsNow(kernels);
  kernels.cpu = now.cpu;
  kernels.isa = now.isa;
  kernels.table = now.kernel_table_hash;
  return kernels;
}

PointChoices ChoicesOfPoint(const Point& point, int threads) {
  const int here = ThreadPool(threads).threads();
  PointChoices result{.choices = KernelChoices(here), .note = {}};
  if (!point.record || !point.record->kernels) {
    return result;
  }
  const PointKernels& kernels = *point.record->kernels;
  if (const std::string difference = Difference(kernels, here); !difference.empty()) {
    result.note = fmt::format(
        "--point={}: its kernels are not used, they were {}; --op_bank_path of this machine has "
        "its own",
        point.folder.string(), difference);
    return result;
  }
  for (const auto& [signature, kernel] : kernels.chosen) {
    result.choices.Set(signature, kernel);
  }
  return result;
}

}  // namespace halftone
