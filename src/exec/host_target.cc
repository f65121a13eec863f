// Dtype columns of the signature letters of src/ir/op_table (docs/internals/resolving.md, "The host
// target"):
//   T  each dtype of the kernels                 Y  T, and float32 beside a float16 T
//   I  int32, int64        L  int64              A  each dtype; the kernels' where A carries it
//   B  bool                F  float32              S  int32
//   Q  each 8 and 16-bit integer; the kernels' where Q carries it
// The same letter has the same dtype in all operands of a column.
#include "src/exec/host_target.h"

#include <algorithm>
#include <string>

#include "kernels/kernel_table.h"
#include "src/ir/ir_type.h"

namespace halftone {
namespace {

// Order of columns: the first one is taken where nothing decides.
constexpr DType kColumnOrder[] = {
    DType::kFloat16, DType::kFloat32, DType::kBFloat16, DType::kFloat64, DType::kInt8,
    DType::kUInt8,   DType::kInt16,   DType::kUInt16,   DType::kInt32,   DType::kUInt32,
    DType::kInt64,   DType::kUInt64,  DType::kBool,
};

// The operand whose dtype chooses the kernel: as SelectKernel() does, the first "T", else input 0.
char CarrierOf(const OpInfo& info) {
  return info.inputs.find('T') != std::string_view::npos ? 'T' : info.inputs.at(0);
}

std::vector<DType> InOrder(DTypeSet dtypes) {
  std::vector<DType> ordered;
  std::copy_if(std::begin(kColumnOrder), std::end(kColumnOrder), std::back_inserter(ordered),
               [&](DType dtype) { return dtypes.Has(dtype); });
  return ordered;
}

bool Uses(const OpInfo& info, char letter) {
  return info.inputs.find(letter) != std::string_view::npos ||
         info.outputs.find(letter) != std::string_view::npos;
}

// Result types of a matrix operator. A bfloat16 product with a float32 result is not offered: the
// specification's suggested columns do not have it either.
std::vector<DType> ResultsOf(DType t) {
  return t == DType::kFloat16 ? std::vector{DType::kFloat16, DType::kFloat32} : std::vector{t};
}

// Every way to fill the letters that `info` uses.
std::vector<SignatureDTypes> ColumnsOf(const OpInfo& info, DTypeSet dtypes) {
  const char carrier = CarrierOf(info);
  const bool fixed = std::string_view("LBFS").find(carrier) != std::string_view::npos;
  if (fixed && !dtypes.Has(SignatureDTypes{}.Of(carrier))) {
    return {};
  }
  std::vector<SignatureDTypes> columns(1);
  const auto expand = [&](char letter, DType SignatureDTypes::*member, const auto& values_of) {
    if (!Uses(info, letter)) {
      return;
    }
    std::vector<SignatureDTypes> expanded;
    for (const SignatureDTypes& column : columns) {
      for (const DType dtype : values_of(column)) {
        expanded.push_back(column);
        expanded.back().*member = dtype;
      }
    }
    columns = std::move(expanded);
  };
  const auto of = [&](char letter, DTypeSet otherwise) {
    return [=](const SignatureDTypes&) { return InOrder(carrier == letter ? dtypes : otherwise); };
  };
  expand('T', &SignatureDTypes::t, of('T', dtypes));
  expand('Y', &SignatureDTypes::y,
         [](const SignatureDTypes& column) { return ResultsOf(column.t); });
  expand('I', &SignatureDTypes::index, of('I', DTypeSet(DType::kInt32, DType::kInt64)));
  expand('A', &SignatureDTypes::other, of('A', kAllDTypes));
  expand('Q', &SignatureDTypes::quantized, of('Q', kQuantizedDTypes));
  return columns;
}

std::vector<std::vector<DType>> TensorsOf(std::string_view signature,
                                          const std::vector<SignatureDTypes>& columns) {
  std::vector<std::vector<DType>> tensors;
  for (const SignatureItem& item : ParseSignature(signature)) {
    tensors.emplace_back();
    for (const SignatureDTypes& column : columns) {
      tensors.back().push_back(column.Of(item.letter));
    }
  }
  return tensors;
}

bool LastRepeats(std::string_view signature) {
  const auto items = ParseSignature(signature);
  return !items.empty() && items.back().repeated;
}

// The dtypes that every operator of one IR type serves, so that a column holds for each of them.
DTypeSet Intersection(DTypeSet a, DTypeSet b) {
  DTypeSet both;
  for (const DTypeRow& row : kDTypes) {
    if (a.Has(row.dtype) && b.Has(row.dtype)) {
      both.Add(row.dtype);
    }
  }
  return both;
}

// One IR type while the operators that share it are collected.
struct SharedType {
  const OpInfo* longest = nullptr;  // the longer signature describes all
  std::vector<OpKind> kinds;
  DTypeSet dtypes = kAllDTypes;
  DTypeSet reference_dtypes = kAllDTypes;
};

DTypeSet ReferenceDTypes(OpKind op) {
  DTypeSet dtypes;
  for (const auto& table : AllKernelTables()) {
    for (const KernelEntry& entry : table) {
      if (entry.op == op && entry.is_reference) {
        dtypes = dtypes | entry.dtypes;
      }
    }
  }
  return dtypes;
}

std::map<std::string, SharedType, std::less<>> SharedTypes(IsaMask isa) {
  std::map<std::string, SharedType, std::less<>> types;
  for (const OpInfo& info : AllOps()) {
    const DTypeSet dtypes = KernelDTypes(info.kind, isa);
    if (dtypes.empty()) {
      continue;
    }
    for (const std::string_view ir_type : IrTypesOf(info.kind)) {
      SharedType& shared = types[std::string(ir_type)];
      shared.kinds.push_back(info.kind);
      shared.dtypes = Intersection(shared.dtypes, dtypes);
      shared.reference_dtypes = Intersection(shared.reference_dtypes, ReferenceDTypes(info.kind));
      if (shared.longest == nullptr || info.inputs.size() > shared.longest->inputs.size()) {
        shared.longest = &info;
      }
    }
  }
  return types;
}

// The modes that every operator of the type has for `dtype`, in the order of the first.
std::vector<ImplMode> SharedImplModes(const SharedType& shared, DType dtype, IsaMask isa) {
  std::vector<ImplMode> modes = KernelImplModes(shared.kinds.front(), dtype, isa);
  for (const OpKind kind : shared.kinds) {
    const std::vector<ImplMode> others = KernelImplModes(kind, dtype, isa);
    std::erase_if(modes, [&](ImplMode mode) {
      return std::find(others.begin(), others.end(), mode) == others.end();
    });
  }
  return modes;
}

bool HasHf32(const std::vector<ImplMode>& modes) {
  return std::ranges::find(modes, ImplMode::kEnableHiFloat32Execution) != modes.end();
}

// The dtypes that any operand may have: AI CPU tests each operand on its own.
DTypeSet OperandDTypes(const OpInfo& info, DTypeSet dtypes) {
  DTypeSet operands;
  const LibraryOp op = HostColumns(info, dtypes);
  for (const auto* tensors : {&op.inputs, &op.outputs}) {
    for (const auto& tensor : *tensors) {
      for (const DType dtype : tensor) {
        operands.Add(dtype);
      }
    }
  }
  return operands;
}

}  // namespace

LibraryOp HostColumns(const OpInfo& info, DTypeSet dtypes) {
  LibraryOp op;
  const std::vector<SignatureDTypes> columns = ColumnsOf(info, dtypes);
  op.inputs = TensorsOf(info.inputs, columns);
  op.outputs = TensorsOf(info.outputs, columns);
  op.inputs_repeat = LastRepeats(info.inputs);
  op.outputs_repeat = LastRepeats(info.outputs);
  op.policy = info.policy;
  op.cube = info.Is(kCube);
  return op;
}

TargetSpec HostTarget(IsaMask isa) {
  // Every bfloat16 operator has a portable kernel, with or without the instructions.
  TargetSpec target;
  target.name = "host";
  target.family = "host";
  target.has_bfloat16 = true;
  target.formats.push_back(*NumericFormat::Named("qint8"));
  target.formats.push_back(*NumericFormat::Named("dint8"));
  target.has_wide_int8 = true;
  for (const auto& [ir_type, shared] : SharedTypes(isa)) {
    LibraryOp op = HostColumns(*shared.longest, shared.dtypes);
    for (const DType dtype : InOrder(shared.dtypes)) {
      if (auto modes = SharedImplModes(shared, dtype, isa); modes.size() > 1) {
        target.has_hf32 = target.has_hf32 || HasHf32(modes);
        op.impl_modes.emplace(dtype, std::move(modes));
      }
    }
    if (op.column_count() > 0) {
      target.ai_core.emplace(ir_type, std::move(op));
    }
    if (!shared.reference_dtypes.empty()) {
      target.ai_cpu.emplace(ir_type,
                            AiCpuOp::Any(OperandDTypes(*shared.longest, shared.reference_dtypes)));
    }
  }
  return target;
}

}  // namespace halftone
