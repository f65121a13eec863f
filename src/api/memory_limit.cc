#include "src/api/memory_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

struct Unit {
  char letter;
  int shift;
};

constexpr Unit kUnits[] = {{'K', 10}, {'M', 20}, {'G', 30}, {'T', 40}};

}  // namespace

std::int64_t ParseMemorySize(std::string_view text) {
  std::string_view digits = text;
  int shift = 0;
  for (const Unit& unit : kUnits) {
    if (!text.empty() && text.back() == unit.letter) {
      digits = text.substr(0, text.size() - 1);
      shift = unit.shift;
    }
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size();
  if (!is_number || number <= 0 || number > (std::numeric_limits<std::int64_t>::max() >> shift)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("E10001: --max_memory={}: expected a number of bytes above 0, as 512M or "
                    "2G",
                    Shown(std::string(text))));
  }
  return number << shift;
}

void RequireMemory(const Graph& graph, std::int64_t limit) {
  if (limit <= 0) {
    return;
  }
  std::int64_t constants = 0;
  std::set<const std::byte*> counted;  // views share bytes
  for (const Value& value : graph.values) {
    if (value.constant && counted.insert(value.constant->data()).second) {
      constants += value.type.size_bytes();
    }
  }
  const Node* largest = nullptr;
  std::int64_t most = 0;
  for (const Node& node : graph.nodes) {
    std::set<ValueId> values(node.inputs.begin(), node.inputs.end());
    values.insert(node.outputs.begin(), node.outputs.end());
    values.erase(kNoValue);
    std::int64_t bytes = 0;
    for (const ValueId id : values) {
      bytes += graph.value(id).constant ? 0 : graph.value(id).type.size_bytes();
    }
    if (bytes > most) {
      most = bytes;
      largest = &node;
    }
  }
  if (constants + most > limit) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("the network needs at least {} of memory ({} of weights, {} around {}), "
                    "--max_memory allows {}: raise it, or make the input smaller",
                    FormatBytes(static_cast<double>(constants + most)),
                    FormatBytes(static_cast<double>(constants)),
                    FormatBytes(static_cast<double>(most)),
                    largest != nullptr ? Describe(*largest) : "no node",
                    FormatBytes(static_cast<double>(limit))));
  }
}

std::int64_t KeptBytesWithin(std::int64_t limit) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  return limit > 0 ? std::min(kMost, limit) : kMost;
}

}  // namespace halftone
