#include "src/precision/resolve/engine_phase.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/ir/fused_operands.h"
#include "src/precision/files/config_lines.h"

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

// One side of a node while it is tested.
struct Operands {
  std::string_view kind;  // "input" or "output"
  const std::vector<ValueId>& ids;
  const std::vector<DType>* (LibraryOp::*columns)(std::size_t) const;
  std::optional<DType> (NodeToResolve::*custom)(std::size_t) const;
};

Operands InputsOf(const NodeToResolve& task) {
  return {"input", task.node.inputs, &LibraryOp::InputColumns, &NodeToResolve::CustomInput};
}

Operands OutputsOf(const NodeToResolve& task) {
  return {"output", task.node.outputs, &LibraryOp::OutputColumns, &NodeToResolve::CustomOutput};
}

std::vector<DType> At(const std::vector<DType>& dtypes, const std::vector<std::size_t>& columns) {
  std::vector<DType> chosen;
  chosen.reserve(columns.size());
  for (const std::size_t column : columns) {
    chosen.push_back(dtypes[column]);
  }
  return chosen;
}

// Columns of integers are there on the host for operators of integers, which share IR types and
// kernels with those of floats: no column makes one of the other. Other targets have what their
// library lists.
bool MayBecome(const NodeToResolve& task, DType original, DType wanted) {
  return !task.target.has_host_kernels() || IsFloating(original) == IsFloating(wanted);
}

// Empty when every present tensor passes. A tensor that customize_dtypes names has passed: the
// columns that contradict it are gone.
std::string RefusalOf(const NodeToResolve& task, const Operands& operands,
                      const std::vector<std::size_t>& allowed, Reductions may) {
  for (std::size_t i = 0; i < operands.ids.size(); ++i) {
    const bool fused =
        &operands.ids == &task.node.inputs && IsFusedOperand(InfoOf(task.node.op), i);
    if (operands.ids[i] == kNoValue || fused) {
      continue;
    }
    const Value& value = task.graph.value(operands.ids[i]);
    const std::vector<DType>* dtypes = (task.op->*operands.columns)(i);
    if (dtypes == nullptr) {
      return fmt::format("{0}s are not supported: the library has no {0} {1} ('{2}')",
                         operands.kind, i, value.name);
    }
    if (task.custom != nullptr && (task.*operands.custom)(i)) {
      continue;
    }
    if (task.custom == nullptr ? Passes(value.type.dtype, *dtypes, may)
                               : Passes(value.type.dtype, At(*dtypes, allowed), may)) {
      continue;
    }
    return fmt::format("{0}s are not supported: {0} {1} ('{2}') is {3}, the library has {4}{5}",
                       operands.kind, i, value.name, NameOf(value.type.dtype),
                       NamesOf(At(*dtypes, allowed)),
                       task.custom == nullptr ? "" : " where customize_dtypes agrees");
  }
  return {};
}

// Empty when AI Core can run the node.
std::string AiCoreRefusal(const NodeToResolve& task, const std::vector<std::size_t>& allowed) {
  if (task.op == nullptr) {
    return "the type is not in its library";
  }
  if (allowed.empty()) {
    return fmt::format(
        "custom dtype not supported: no column of the library agrees with the "
        "customize_dtypes line of {}",
        QuotedLine(task.custom->target));
  }
  const bool kept = !task.kept_by.empty();
  // A line of customize_dtypes wins over the mode for the whole node, too: its free tensors follow
  // the columns that are left.
  const bool given = task.custom != nullptr;
  // force_fp32 has an order of its own for matrix operators, float16 in and float32 out first, and
  // the guide makes no exception of the black list there.
  const bool ordered = task.op->cube && task.mode.cube_refusal != nullptr;
  const MixPolicy policy = ordered ? MixPolicy::kGray : task.policy;
  const Reductions may{given || MayLower(task.mode.to_float16, policy, kept),
                       given || MayLower(task.mode.to_bfloat16, task.policy, kept)};
  std::string refusal = RefusalOf(task, InputsOf(task), allowed, may);
  return !refusal.empty() ? refusal : RefusalOf(task, OutputsOf(task), allowed, may);
}

// Items that the node has no tensor for are an error, whatever engine runs it.
void CheckItemCount(const NodeToResolve& task, std::string_view kind, std::size_t items,
                    std::size_t tensors) {
  if (items > tensors) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("E10001: --customize_dtypes: the line of {} has {} items for {}s, but "
                    "{} has {}",
                    QuotedLine(task.custom->target), items, kind, Describe(task.node), tensors));
  }
}

void CheckItemCounts(const NodeToResolve& task) {
  CheckItemCount(task, "input", task.custom->inputs.size(), task.node.inputs.size());
  CheckItemCount(task, "output", task.custom->outputs.size(), task.node.outputs.size());
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

std::string FallbackRefusal(const NodeToResolve& task, const AiCpuOp& op) {
  for (const bool inputs : {true, false}) {
    const auto& ids = inputs ? task.node.inputs : task.node.outputs;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == kNoValue) {
        continue;
      }
      const Value& value = task.graph.value(ids[i]);
      const DTypeSet* dtypes = inputs ? op.InputDTypes(i) : op.OutputDTypes(i);
      const auto custom = inputs ? task.CustomInput(i) : task.CustomOutput(i);
      if (custom && *custom != value.type.dtype) {
        return fmt::format("customize_dtypes wants '{}' in {}, and AiCpu keeps {}", value.name,
                           NameOf(*custom), NameOf(value.type.dtype));
      }
      if (dtypes == nullptr || !dtypes->Has(value.type.dtype)) {
        return fmt::format("'{}' is {}, which its library does not have", value.name,
                           NameOf(value.type.dtype));
      }
    }
  }
  return {};
}

// AI CPU's own library is asked first, then that of TensorFlow kernels, which AI CPU runs too.
std::string AiCpuRefusal(const NodeToResolve& task) {
  std::string refusal;
  for (const auto* library : {&task.target.ai_cpu, &task.target.tf_kernel}) {
    const auto found = library->find(task.ir_type);
    if (found == library->end()) {
      continue;
    }
    std::string own_refusal = FallbackRefusal(task, found->second);
    if (own_refusal.empty()) {
      return {};
    }
    refusal = refusal.empty() ? std::move(own_refusal) : refusal;
  }
  return refusal.empty() ? "the type is not in its library" : refusal;
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

std::optional<DType> NodeToResolve::CustomInput(std::size_t index) const {
  return custom != nullptr && index < custom->inputs.size() ? custom->inputs[index] : std::nullopt;
}

std::optional<DType> NodeToResolve::CustomOutput(std::size_t index) const {
  return custom != nullptr && index < custom->outputs.size() ? custom->outputs[index]
                                                             : std::nullopt;
}

std::vector<std::size_t> AllowedColumns(const NodeToResolve& task) {
  std::vector<std::size_t> columns(task.op == nullptr ? 0 : task.op->column_count());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  if (task.custom == nullptr || task.op == nullptr) {
    return columns;
  }
  for (const Operands& operands : {InputsOf(task), OutputsOf(task)}) {
    for (std::size_t i = 0; i < operands.ids.size(); ++i) {
      const auto wanted = (task.*operands.custom)(i);
      const std::vector<DType>* dtypes = (task.op->*operands.columns)(i);
      if (!wanted || operands.ids[i] == kNoValue || dtypes == nullptr) {
        continue;
      }
      const DType original = task.graph.value(operands.ids[i]).type.dtype;
      std::erase_if(columns, [&](std::size_t column) {
        return (*dtypes)[column] != *wanted || !MayBecome(task, original, *wanted);
      });
    }
  }
  return columns;
}

void CheckCustomCast(const NodeToResolve& task, DType from, DType to) {
  if (task.custom == nullptr) {
    return;
  }
  CheckItemCounts(task);
  const auto check = [&](std::optional<DType> wanted, DType has, std::string_view what) {
    if (wanted && *wanted != has) {
      ThrowNoEngine(
          task,
          fmt::format("custom dtype not supported: a Cast of the model {} {}, and the "
                      "customize_dtypes line of {} wants {}",
                      what, NameOf(has), QuotedLine(task.custom->target), NameOf(*wanted)),
          "it keeps the types of the model");
    }
  };
  check(task.CustomInput(0), from, "takes what its producer has,");
  check(task.CustomOutput(0), to, "keeps what it declares,");
}

EngineChoice ChooseEngine(const NodeToResolve& task) {
  if (task.custom != nullptr) {
    CheckItemCounts(task);
  }
  if (task.op != nullptr && task.custom == nullptr) {
    if (const std::string_view refusal = CubeRefusal(task, *task.op); !refusal.empty()) {
      // The documented order of force_fp32 ends in an error and does not name AI CPU.
      ThrowNoEngine(task, refusal,
                    fmt::format("{} does not move matrix operators there", task.mode.label()));
    }
  }
  const std::string ai_core_refusal = AiCoreRefusal(task, AllowedColumns(task));
  if (ai_core_refusal.empty()) {
    return {.engine = Engine::kAiCore, .ai_core_refusal = {}};
  }
  if (const std::string refusal = AiCpuRefusal(task); !refusal.empty()) {
    ThrowNoEngine(task, ai_core_refusal, refusal);
  }
  return {.engine = Engine::kAiCpu, .ai_core_refusal = ai_core_refusal};
}

}  // namespace halftone
