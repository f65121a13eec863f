#include "src/runtimes/command/ran_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "src/base/text.h"

namespace halftone {
namespace {

struct TypeName {
  std::string_view name;
  std::string_view type;  // one name for each type
};

constexpr TypeName kTypeNames[] = {
    {"fp32", "fp32"}, {"float32", "fp32"},  {"float", "fp32"}, {"f32", "fp32"},
    {"fp16", "fp16"}, {"float16", "fp16"},  {"half", "fp16"},  {"f16", "fp16"},
    {"bf16", "bf16"}, {"bfloat16", "bf16"}, {"int8", "int8"},  {"i8", "int8"},
    {"tf32", "tf32"},
};

std::optional<std::string_view> TypeNamed(const std::string& name) {
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const TypeName& row : kTypeNames) {
    if (row.name == lower) {
      return row.type;
    }
  }
  return std::nullopt;
}

// Type in which the plan has a node computed; empty: a type without a name here.
std::optional<std::string_view> TypeOf(NumericFormat format) {
  if (format.has_scale()) {
    return "int8";
  }
  if (!format.is_dtype()) {
    return std::nullopt;
  }
  switch (format.dtype()) {
    case DType::kFloat32:
      return "fp32";
    case DType::kFloat16:
      return "fp16";
    case DType::kBFloat16:
      return "bf16";
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string RanOtherwise(const Graph& network, const PrecisionPlan& plan,
                         const std::map<std::string, std::string>& ran) {
  std::int64_t known = 0;
  std::int64_t other = 0;
  std::string example;
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    const Node& node = network.nodes[i];
    const auto entry = ran.find(node.name);
    if (entry == ran.end()) {
      continue;
    }
    const auto type = TypeNamed(entry->second);
    const auto asked = TypeOf(plan.nodes[i].compute_format());
    if (!type || !asked) {
      continue;
    }
    ++known;
    if (*type != *asked) {
      if (other++ == 0) {
        example = fmt::format("'{}' in {}, not {}", Shown(node.name), *type, *asked);
      }
    }
  }
  return other == 0 ? std::string()
                    : fmt::format("{} of {} ran in another type than asked, such as {}", other,
                                  Counted(known, "node"), example);
}

}  // namespace halftone
