#include "src/ir/op_table.h"

#include "src/base/error.h"
#include "src/ir/op_rows.h"
#include "src/ir/shape_rules.h"

namespace halftone {
namespace {

#define HALFTONE_TABLE_ROW(kind, name, inputs, outputs, policy, traits, shape_rule) \
  {OpKind::kind, name, inputs, outputs, MixPolicy::policy, traits, shape_rule},
constexpr OpInfo kOps[] = {HALFTONE_OPERATORS(HALFTONE_TABLE_ROW)};
#undef HALFTONE_TABLE_ROW

}  // namespace

std::span<const OpInfo> AllOps() {
  return kOps;
}

const OpInfo& InfoOf(OpKind kind) {
  for (const OpInfo& info : kOps) {
    if (info.kind == kind) {
      return info;
    }
  }
  throw Error(ErrorKind::kInternal, "an operator has no row in op_rows.h");
}

const OpInfo* FindOp(std::string_view name) {
  for (const OpInfo& info : kOps) {
    if (info.name == name) {
      return &info;
    }
  }
  return nullptr;
}

DType SignatureDTypes::Of(char letter) const {
  switch (letter) {
    case 'T':
      return t;
    case 'Y':
      return y;
    case 'I':
      return index;
    case 'L':
      return DType::kInt64;
    case 'B':
      return DType::kBool;
    case 'F':
      return DType::kFloat32;
    case 'S':
      return DType::kInt32;
    case 'Q':
      return quantized;
    default:
      return other;
  }
}

std::vector<SignatureItem> ParseSignature(std::string_view signature) {
  std::vector<SignatureItem> items;
  for (const char c : signature) {
    if (c == '?') {
      items.back().optional = true;
    } else if (c == '*') {
      items.back().repeated = true;
    } else {
      items.push_back({.letter = c});
    }
  }
  return items;
}

std::optional<SignatureItem> SignatureItemAt(std::string_view signature, std::size_t index) {
  const auto items = ParseSignature(signature);
  if (index < items.size()) {
    return items[index];
  }
  if (!items.empty() && items.back().repeated) {
    return items.back();
  }
  return std::nullopt;
}

}  // namespace halftone
