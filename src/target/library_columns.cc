#include "src/target/library_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/target/ini_file.h"

namespace halftone {
namespace {

constexpr std::string_view kLetters = "TYAILBF";

bool IsWellFormed(std::string_view side) {
  for (std::size_t i = 0; i < side.size(); ++i) {
    const bool mark = side[i] == '?' || side[i] == '*';
    if (mark ? i == 0 || kLetters.find(side[i - 1]) == std::string_view::npos
             : kLetters.find(side[i]) == std::string_view::npos) {
      return false;
    }
    if (side[i] == '*' && i + 1 != side.size()) {
      return false;
    }
  }
  return true;
}

bool LastRepeats(const std::vector<SignatureItem>& items) {
  return !items.empty() && items.back().repeated;
}

// Dtypes of A in the columns of one item: `own`; if T occurs too, also each other dtype of the
// list, and bool.
std::vector<DType> OthersOf(const OperatorTensors& tensors, const std::vector<DTypePair>& list,
                            DType own) {
  if (!tensors.Uses('T') || !tensors.Uses('A')) {
    return {own};
  }
  std::vector<DType> others = {own};
  for (const DTypePair& item : list) {
    if (item.dtype != own) {
      others.push_back(item.dtype);
    }
  }
  others.push_back(DType::kBool);
  return others;
}

std::vector<SignatureDTypes> ColumnsOf(const OperatorTensors& tensors,
                                       const std::vector<DTypePair>& list) {
  std::vector<DTypePair> items = list;
  if (!tensors.needs_list()) {
    items.resize(1);
  }
  std::vector<SignatureDTypes> columns;
  for (const DTypePair& item : items) {
    for (const DType other : OthersOf(tensors, list, item.dtype)) {
      if (tensors.Uses('I')) {
        columns.push_back({item.dtype, item.result, DType::kInt32, other});
      }
      columns.push_back({item.dtype, item.result, DType::kInt64, other});
    }
  }
  return columns;
}

std::vector<std::vector<DType>> Lists(const std::vector<SignatureItem>& items,
                                      const std::vector<SignatureDTypes>& columns) {
  std::vector<std::vector<DType>> lists;
  for (const SignatureItem& item : items) {
    lists.emplace_back();
    for (const SignatureDTypes& column : columns) {
      lists.back().push_back(column.Of(item.letter));
    }
  }
  return lists;
}

std::vector<DTypeSet> Sets(const std::vector<std::vector<DType>>& lists) {
  std::vector<DTypeSet> sets;
  for (const auto& list : lists) {
    sets.emplace_back();
    for (const DType dtype : list) {
      sets.back().Add(dtype);
    }
  }
  return sets;
}

}  // namespace

bool OperatorTensors::Uses(char letter) const {
  const auto is_it = [letter](const SignatureItem& item) { return item.letter == letter; };
  return std::any_of(inputs.begin(), inputs.end(), is_it) ||
         std::any_of(outputs.begin(), outputs.end(), is_it);
}

OperatorTensors ParseTensors(std::string_view text) {
  const std::size_t arrow = text.find("->");
  const std::string_view inputs = text.substr(0, arrow);
  const std::string_view outputs =
      arrow == std::string_view::npos ? std::string_view() : text.substr(arrow + 2);
  if (inputs.empty() || outputs.empty() || !IsWellFormed(inputs) || !IsWellFormed(outputs)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("expected tensors such as 'TTY?->Y' of the letters {}, found {}",
                            kLetters, Quoted(text)));
  }
  return {ParseSignature(inputs), ParseSignature(outputs)};
}

DTypePair ParseDTypePair(std::string_view text) {
  const std::size_t arrow = text.find('>');
  const auto parse = [text](std::string_view name) {
    const auto dtype = DTypeFromName(name);
    if (!dtype) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("expected dtypes such as 'float16' or 'float16>float32', found {}",
                              Quoted(text)));
    }
    return *dtype;
  };
  const DType dtype = parse(text.substr(0, arrow));
  return {dtype, arrow == std::string_view::npos ? dtype : parse(text.substr(arrow + 1))};
}

LibraryOp LibraryColumns(const OperatorTensors& tensors, const std::vector<DTypePair>& list) {
  const std::vector<SignatureDTypes> columns = ColumnsOf(tensors, list);
  LibraryOp op;
  op.inputs = Lists(tensors.inputs, columns);
  op.outputs = Lists(tensors.outputs, columns);
  op.inputs_repeat = LastRepeats(tensors.inputs);
  op.outputs_repeat = LastRepeats(tensors.outputs);
  return op;
}

AiCpuOp LibrarySets(const OperatorTensors& tensors, const std::vector<DTypePair>& list) {
  const std::vector<SignatureDTypes> columns = ColumnsOf(tensors, list);
  AiCpuOp op;
  op.inputs = Sets(Lists(tensors.inputs, columns));
  op.outputs = Sets(Lists(tensors.outputs, columns));
  op.inputs_repeat = LastRepeats(tensors.inputs);
  op.outputs_repeat = LastRepeats(tensors.outputs);
  return op;
}

}  // namespace halftone
