#include "src/target/ops_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/ir/ir_type.h"
#include "src/target/ini_file.h"
#include "src/target/library_json.h"

namespace halftone {
namespace {

using DTypeList = std::vector<std::optional<DType>>;  // empty items: a dtype we have no tensors of

struct IrTensor {
  std::string key;
  DTypeList dtypes;  // by column; none: not in the file
  bool dynamic = false;
};

struct IrTensors {
  std::vector<IrTensor> inputs;
  std::vector<IrTensor> outputs;
};

DTypeList ParseDTypes(const LibraryEntry& entry, const std::string& key) {
  DTypeList dtypes;
  const std::string* text = entry.Find(key, "dtype");
  if (text == nullptr) {
    return dtypes;
  }
  for (const std::string_view part : Split(*text, ',')) {
    const std::string_view name = Trim(part);
    const auto dtype = DTypeFromName(name);
    if (!dtype && !IsForeignDType(name)) {
      entry.Throw(key + ".dtype", fmt::format("expected dtypes, found {}", Quoted(name)));
    }
    dtypes.push_back(dtype);
  }
  return dtypes;
}

bool IsDynamic(const LibraryEntry& entry, const std::string& key) {
  constexpr std::string_view kKinds[] = {"required", "optional", "dynamic", "reserved"};
  const std::string* kind = entry.Find(key, "paramType");
  if (kind != nullptr &&
      std::find(std::begin(kKinds), std::end(kKinds), *kind) == std::end(kKinds)) {
    entry.Throw(
        key + ".paramType",
        fmt::format("expected required, optional, dynamic or reserved, found {}", Quoted(*kind)));
  }
  return kind != nullptr && *kind == "dynamic";
}

std::vector<IrTensor> ParseTensorsOf(const LibraryEntry& entry, std::string_view prefix) {
  std::vector<IrTensor> tensors;
  for (const std::string& key : NumberedItems(entry, {prefix})) {
    tensors.push_back({key, ParseDTypes(entry, key), IsDynamic(entry, key)});
  }
  return tensors;
}

// Every list as long as the longest; one item stands for all.
void Broadcast(const LibraryEntry& entry, IrTensors& tensors) {
  const IrTensor* longest = nullptr;
  std::vector<IrTensor*> all;
  for (auto* side : {&tensors.inputs, &tensors.outputs}) {
    for (IrTensor& tensor : *side) {
      all.push_back(&tensor);
      if (longest == nullptr || tensor.dtypes.size() > longest->dtypes.size()) {
        longest = &tensor;
      }
    }
  }
  for (IrTensor* tensor : all) {
    const std::size_t count = longest->dtypes.size();
    if (tensor->dtypes.size() == 1) {
      tensor->dtypes.resize(count, tensor->dtypes[0]);
    } else if (tensor->dtypes.size() != count) {
      entry.Throw(tensor->key + ".dtype",
                  fmt::format("op library corrupt: {} dtypes, but {}.dtype has {}",
                              tensor->dtypes.size(), longest->key, count));
    }
  }
}

// The key of the first tensor without dtypes; empty when all have some.
std::string FirstWithout(const IrTensors& tensors) {
  for (const auto* side : {&tensors.inputs, &tensors.outputs}) {
    for (const IrTensor& tensor : *side) {
      if (tensor.dtypes.empty()) {
        return tensor.key;
      }
    }
  }
  return {};
}

// Columns for a type whose kernel code has them, not the file: matrix operators take the family's
// list of pairs, the others its float list.
void Supplement(const LibraryEntry& entry, const TargetFile& family, IrTensors& tensors) {
  const bool cube = family.cube_types.contains(entry.type());
  const auto list = family.dtype_lists.find(std::string_view(cube ? "matrix" : "float"));
  if (list == family.dtype_lists.end()) {
    entry.Throw(
        "dynamicFormat.flag",
        fmt::format("its columns are in kernel code, and the target has no list [dtypes] {}",
                    cube ? "matrix" : "float"));
  }
  for (const bool inputs : {true, false}) {
    for (IrTensor& tensor : inputs ? tensors.inputs : tensors.outputs) {
      tensor.dtypes.clear();
      for (const DTypePair& item : list->second) {
        tensor.dtypes.emplace_back(inputs ? item.dtype : item.result);
      }
    }
  }
}

// One side of the operator in the order of the ONNX operands.
class Reordered {
 public:
  // `operator_name`: null for types without an ONNX operator, which keep the order of the IR.
  Reordered(std::string_view ir_type, const std::vector<IrTensor>& tensors, bool inputs,
            const OpInfo* onnx) {
    if (onnx == nullptr) {
      for (const IrTensor& tensor : tensors) {
        lists_.push_back(&tensor.dtypes);
        letters_ += ' ';
        repeat_ = tensor.dynamic;
      }
      return;
    }
    const auto items = ParseSignature(inputs ? onnx->inputs : onnx->outputs);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto index = inputs ? IrInputOf(ir_type, i) : i;
      const IrTensor* tensor = index && *index < tensors.size() ? &tensors[*index] : nullptr;
      lists_.push_back(tensor == nullptr ? nullptr : &tensor->dtypes);
      letters_ += items[i].letter;
      repeat_ = items[i].repeated || (tensor != nullptr && tensor->dynamic);
    }
  }

  [[nodiscard]] std::size_t size() const { return lists_.size(); }

  [[nodiscard]] bool repeat() const { return repeat_; }

  [[nodiscard]] bool NeedsIndices() const {
    for (std::size_t i = 0; i < size(); ++i) {
      if (lists_[i] == nullptr && letters_[i] == 'I') {
        return true;
      }
    }
    return false;
  }

  // The dtype of tensor `i` in a column; empty: one that halftone does not have. An operand that is
  // an attribute of the IR operator has the dtype that ONNX gives it; `first` is that of the
  // operand that carries the precision, `index` that of indices.
  [[nodiscard]] std::optional<DType> At(std::size_t i, std::size_t column,
                                        std::optional<DType> first, DType index) const {
    if (lists_[i] != nullptr) {
      return (*lists_[i])[column];
    }
    switch (letters_[i]) {
      case 'L':
        return DType::kInt64;
      case 'I':
        return index;
      case 'B':
        return DType::kBool;
      case 'F':
        return DType::kFloat32;
      case 'S':
        return DType::kInt32;
      default:
        return first;
    }
  }

  // Dtype of the first operand that the library has as a tensor.
  [[nodiscard]] std::optional<DType> First(std::size_t column) const {
    for (const DTypeList* list : lists_) {
      if (list != nullptr) {
        return (*list)[column];
      }
    }
    return std::nullopt;
  }

 private:
  std::vector<const DTypeList*> lists_;
  std::string letters_;
  bool repeat_ = false;
};

// The dtypes of all inputs and then all outputs; empty: halftone does not have one of them.
std::optional<std::vector<DType>> ColumnOf(const Reordered& inputs, const Reordered& outputs,
                                           std::size_t column, DType index) {
  const auto first = inputs.First(column) ? inputs.First(column) : outputs.First(column);
  std::vector<DType> dtypes;
  for (const Reordered* side : {&inputs, &outputs}) {
    for (std::size_t i = 0; i < side->size(); ++i) {
      const auto dtype = side->At(i, column, first, index);
      if (!dtype) {
        return std::nullopt;
      }
      dtypes.push_back(*dtype);
    }
  }
  return dtypes;
}

void AddColumn(const std::vector<DType>& dtypes, LibraryOp& op) {
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    auto& side = i < op.inputs.size() ? op.inputs[i] : op.outputs[i - op.inputs.size()];
    side.push_back(dtypes[i]);
  }
}

LibraryOp JoinColumns(const LibraryEntry& entry, const IrTensors& tensors) {
  const OpInfo* onnx = OnnxOperatorOf(entry.type());
  const Reordered inputs(entry.type(), tensors.inputs, true, onnx);
  const Reordered outputs(entry.type(), tensors.outputs, false, onnx);
  LibraryOp op;
  op.inputs.resize(inputs.size());
  op.outputs.resize(outputs.size());
  op.inputs_repeat = inputs.repeat();
  op.outputs_repeat = outputs.repeat();
  const auto& some = tensors.inputs.empty() ? tensors.outputs : tensors.inputs;
  const std::size_t columns = some.empty() ? 0 : some[0].dtypes.size();
  const bool with_indices = inputs.NeedsIndices() || outputs.NeedsIndices();
  std::set<std::vector<DType>> seen;
  for (std::size_t c = 0; c < columns; ++c) {
    for (const DType index : {DType::kInt32, DType::kInt64}) {
      if (index != DType::kInt64 && !with_indices) {
        continue;
      }
      const auto column = ColumnOf(inputs, outputs, c, index);
      if (column && seen.insert(*column).second) {
        AddColumn(*column, op);
      }
    }
  }
  return op;
}

MixPolicy PolicyOf(const LibraryEntry& entry) {
  // The older key stands for the bfloat16 modes; it counts where the newer one is absent.
  for (const char* key : {"precision_reduce", "precision_reduce_bf16"}) {
    if (entry.Find(key, "flag") != nullptr) {
      return entry.IsTrue(key, "flag") ? MixPolicy::kWhite : MixPolicy::kBlack;
    }
  }
  return MixPolicy::kGray;
}

// An operand that carries the precision cannot be left out. Others may be attributes of the IR
// operator.
void RequireOperands(const LibraryEntry& entry, const std::vector<IrTensor>& tensors,
                     std::string_view prefix, const OpInfo& onnx) {
  const bool inputs = prefix == "input";
  const auto items = ParseSignature(inputs ? onnx.inputs : onnx.outputs);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto index = inputs ? IrInputOf(entry.type(), i) : i;
    const bool listed =
        index && (*index < tensors.size() || (!tensors.empty() && tensors.back().dynamic));
    if (index && !listed && items[i].letter == 'T' && !items[i].optional) {
      entry.Throw(fmt::format("{}{}", prefix, *index),
                  fmt::format("op library corrupt: it is missing, and {} has it", onnx.name));
    }
  }
}

LibraryOp ColumnsOf(const LibraryEntry& entry, const TargetFile& family) {
  IrTensors tensors{ParseTensorsOf(entry, "input"), ParseTensorsOf(entry, "output")};
  const std::string missing = FirstWithout(tensors);
  if (!missing.empty()) {
    if (!entry.IsTrue("dynamicFormat", "flag")) {
      entry.Throw(missing + ".dtype",
                  "op library corrupt: it is missing, and dynamicFormat.flag is not \"true\"");
    }
    const auto own = family.spec.ai_core.find(entry.type());
    if (own != family.spec.ai_core.end()) {
      return own->second;
    }
    Supplement(entry, family, tensors);
  }
  Broadcast(entry, tensors);
  const OpInfo* onnx = OnnxOperatorOf(entry.type());
  if (onnx != nullptr && !(tensors.inputs.empty() && tensors.outputs.empty())) {
    RequireOperands(entry, tensors.inputs, "input", *onnx);
    RequireOperands(entry, tensors.outputs, "output", *onnx);
  }
  return JoinColumns(entry, tensors);
}

}  // namespace

const OpInfo* OnnxOperatorOf(std::string_view ir_type) {
  const OpInfo* longest = nullptr;
  for (const OpInfo& info : AllOps()) {
    const auto types = IrTypesOf(info.kind);
    if (std::find(types.begin(), types.end(), ir_type) != types.end() &&
        (longest == nullptr || info.inputs.size() > longest->inputs.size())) {
      longest = &info;
    }
  }
  return longest;
}

AiCoreLibrary ParseOpsInfo(std::string_view text, std::string_view where,
                           const TargetFile& family) {
  AiCoreLibrary library;
  for (const LibraryEntry& entry : ReadLibraryJson(text, where)) {
    LibraryOp op = ColumnsOf(entry, family);
    op.policy = PolicyOf(entry);
    op.cube = family.cube_types.contains(entry.type());
    const std::string* kernel = entry.Find("opFile", "value");
    op.has_kernel_file = kernel == nullptr || *kernel != "Null";
    op.impl_modes.clear();
    if (const auto modes = family.impl_modes.find(entry.type()); modes != family.impl_modes.end()) {
      op.impl_modes = modes->second;
    }
    if (op.column_count() > 0) {
      library.insert_or_assign(entry.type(), std::move(op));
    }
  }
  return library;
}

}  // namespace halftone
