#include "src/precision/engine_phase.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

struct Reductions {
  bool to_float16;
  bool to_bfloat16;
};

bool Has(const std::vector<DType>& dtypes, DType dtype) {
  return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
}

// Integers, bool and double pass by exact membership only; bfloat16 never serves float16.
bool Passes(DType original, const std::vector<DType>& dtypes, Reductions may) {
  if (Has(dtypes, original)) {
    return true;
  }
  switch (original) {
    case DType::kFloat16:
      return Has(dtypes, DType::kFloat32);
    case DType::kBFloat16:
      return Has(dtypes, DType::kFloat32) || (Has(dtypes, DType::kFloat16) && may.to_float16);
    case DType::kFloat32:
      return (Has(dtypes, DType::kFloat16) && may.to_float16) ||
             (Has(dtypes, DType::kBFloat16) && may.to_bfloat16);
    default:
      return false;
  }
}

std::string NamesOf(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DTypeRow& row : kDTypes) {
    if (Has(dtypes, row.dtype)) {
      names.emplace_back(row.name);
    }
  }
  return Join(names, ", ");
}

// Empty when every present tensor of `ids` passes.
std::string RefusalOf(const Graph& graph, std::string_view kind, const std::vector<ValueId>& ids,
                      const LibraryOp& op, Reductions may) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == kNoValue) {
      continue;
    }
    const Value& value = graph.value(ids[i]);
    const auto* dtypes = kind == "input" ? op.InputColumns(i) : op.OutputColumns(i);
    if (dtypes == nullptr) {
      return fmt::format("{0}s are not supported: the library has no {0} {1} ('{2}')", kind, i,
                         value.name);
    }
    if (!Passes(value.type.dtype, *dtypes, may)) {
      return fmt::format("{0}s are not supported: {0} {1} ('{2}') is {3}, the library has {4}",
                         kind, i, value.name, NameOf(value.type.dtype), NamesOf(*dtypes));
    }
  }
  return {};
}

// Matrix operators that the mode forbids outright. Integer ones are none of its business.
std::string_view CubeRefusal(const NodeToResolve& task, const LibraryOp& op) {
  const bool floating = !task.node.inputs.empty() && task.node.inputs[0] != kNoValue &&
                        IsTunable(task.graph.value(task.node.inputs[0]).type.dtype);
  if (!op.cube || !floating || !task.kept_by.empty() || task.mode.cube_refusal == nullptr) {
    return {};
  }
  return task.mode.cube_refusal(op);
}

std::string AiCpuRefusal(const NodeToResolve& task) {
  const auto found = task.target.ai_cpu.find(task.ir_type);
  if (found == task.target.ai_cpu.end()) {
    return "the type is not in its library";
  }
  const AiCpuOp& op = found->second;
  for (const bool inputs : {true, false}) {
    const auto& ids = inputs ? task.node.inputs : task.node.outputs;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == kNoValue) {
        continue;
      }
      const Value& value = task.graph.value(ids[i]);
      const DTypeSet* dtypes = inputs ? op.InputDTypes(i) : op.OutputDTypes(i);
      if (dtypes == nullptr || !dtypes->Has(value.type.dtype)) {
        return fmt::format("'{}' is {}, which its library does not have", value.name,
                           NameOf(value.type.dtype));
      }
    }
  }
  return {};
}

[[noreturn]] void ThrowNoEngine(const NodeToResolve& task, std::string_view ai_core_refusal,
                                std::string_view ai_cpu_refusal) {
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format("EZ3002: optype [{0}] is not supported by AiCore: {1}; EZ3002: optype "
                  "[{0}] is not supported by AiCpu: {2}; EZ3003: no supported kernel and "
                  "engine found for [{3}], optype [{0}] (mode {4}{5}, target {6})",
                  task.ir_type, ai_core_refusal, ai_cpu_refusal, task.node.name, task.mode.label(),
                  task.kept_by.empty() ? "" : ", kept by keep_dtype", task.target.name));
}

}  // namespace

bool MayLower(Lowering lowering, MixPolicy policy, bool kept) {
  if (kept || lowering == Lowering::kNever) {
    return false;
  }
  return lowering == Lowering::kAlways || policy != MixPolicy::kBlack;
}

EngineChoice ChooseEngine(const NodeToResolve& task) {
  std::string ai_core_refusal = "the type is not in its library";
  const auto found = task.target.ai_core.find(task.ir_type);
  if (found != task.target.ai_core.end()) {
    const LibraryOp& op = found->second;
    if (const std::string_view refusal = CubeRefusal(task, op); !refusal.empty()) {
      // The documented order of force_fp32 ends in an error and does not name AI CPU.
      ThrowNoEngine(task, refusal, "force_fp32 does not move matrix operators there");
    }
    const bool kept = !task.kept_by.empty();
    const Reductions may{MayLower(task.mode.to_float16, op.policy, kept),
                         MayLower(task.mode.to_bfloat16, op.policy, kept)};
    ai_core_refusal = RefusalOf(task.graph, "input", task.node.inputs, op, may);
    if (ai_core_refusal.empty()) {
      ai_core_refusal = RefusalOf(task.graph, "output", task.node.outputs, op, may);
    }
    if (ai_core_refusal.empty()) {
      return {.engine = Engine::kAiCore, .op = &op, .ai_core_refusal = {}};
    }
  }
  if (const std::string refusal = AiCpuRefusal(task); !refusal.empty()) {
    ThrowNoEngine(task, ai_core_refusal, refusal);
  }
  return {.engine = Engine::kAiCpu, .op = nullptr, .ai_core_refusal = ai_core_refusal};
}

}  // namespace halftone
