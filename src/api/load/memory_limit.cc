#include "src/api/load/memory_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "src/base/error.h"
#include "src/base/lack_of_memory.h"
#include "src/base/limits.h"
#include "src/base/machine_memory.h"
#include "src/base/text.h"

namespace halftone {
namespace {

struct Unit {
  char letter;
  int shift;
};

constexpr Unit kUnits[] = {{'K', 10}, {'M', 20}, {'G', 30}, {'T', 40}};

std::int64_t ConstantBytes(const Graph& graph) {
  std::int64_t bytes = 0;
  std::set<const std::byte*> counted;  // views share bytes
  for (const Value& value : graph.values) {
    if (value.constant && counted.insert(value.constant->data()).second) {
      bytes += value.type.size_bytes();
    }
  }
  return bytes;
}

struct Largest {
  const Node* node = nullptr;
  std::int64_t bytes = 0;
};

std::string NameOf(const Largest& largest) {
  return largest.node != nullptr ? Describe(*largest.node) : "no node";
}

constexpr std::int64_t kMostBytes = std::numeric_limits<std::int64_t>::max() / 4;

// The node whose operands and results, without constants, take most.
Largest LargestNode(const Graph& graph) {
  Largest largest;
  for (const Node& node : graph.nodes) {
    std::set<ValueId> values(node.inputs.begin(), node.inputs.end());
    values.insert(node.outputs.begin(), node.outputs.end());
    values.erase(kNoValue);
    std::int64_t bytes = 0;
    for (const ValueId id : values) {
      const Value& value = graph.value(id);
      if (!value.constant) {
        bytes = std::min(bytes, kMostBytes) + std::min(value.type.size_bytes(), kMostBytes);
      }
    }
    if (bytes > largest.bytes) {
      largest = {&node, bytes};
    }
  }
  return largest;
}

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
  const auto number = NumberIn(digits, WholeRange{1, limits::kByteRange.most >> shift});
  if (!number) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("E10001: --max_memory={}: expected a number of bytes above 0, as 512M or "
                    "2G",
                    Shown(std::string(text))));
  }
  return *number << shift;
}

void RequireMemory(const Graph& graph, std::int64_t limit) {
  if (limit <= 0) {
    return;
  }
  const std::int64_t constants = ConstantBytes(graph);
  const Largest largest = LargestNode(graph);
  if (constants + largest.bytes > limit) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("the network needs at least {} of memory ({} of weights, {} around {}), "
                    "--max_memory allows {}: raise it, or make the input smaller",
                    FormatBytes(static_cast<double>(constants + largest.bytes)),
                    FormatBytes(static_cast<double>(constants)),
                    FormatBytes(static_cast<double>(largest.bytes)), NameOf(largest),
                    FormatBytes(static_cast<double>(limit))));
  }
}

void RequireMachineMemory(const Graph& graph) {
  RequireMachineMemory(graph, MachineMemoryBytes());
}

void RequireMachineMemory(const Graph& graph, std::int64_t machine) {
  const Largest largest = LargestNode(graph);
  if (machine > 0 && largest.bytes > machine) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the network needs at least {} of memory around {} ({} bytes), there "
                            "is {} for it: {}",
                            FormatBytes(static_cast<double>(largest.bytes)), NameOf(largest),
                            largest.bytes, FormatBytes(static_cast<double>(machine)), kMoreMemory));
  }
}

std::int64_t KeptBytesWithin(std::int64_t limit) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  return limit > 0 ? std::min(kMost, limit) : kMost;
}

}  // namespace halftone
