// File of -node-precision-info (Qualcomm Cloud AI): nodes that compute in float16 or float32.
//
//   FP16NodeInstanceNames: [conv0_out, bn0_out]
//   FP32NodeInstanceNames:
//     - "1234"
//
// An entry is the name of a node's first output, not of the node. Grammar:
// docs/reference/cloud_ai.md.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace halftone {

inline constexpr std::size_t kMostNodePrecisionBytes = 16U << 20U;

struct NodePrecisionLists {
  // Names of the nodes' first outputs. No name is in both lists.
  std::set<std::string, std::less<>> float16;
  std::set<std::string, std::less<>> float32;

  friend bool operator==(const NodePrecisionLists&, const NodePrecisionLists&) = default;
};

// Parses the text of the file named `where`. Every scalar is a name: 1234, 0x10, true and yes keep
// their text. A name that a list repeats is stored once. Error kUsage, "<where>:<line>: ...": not
// YAML, another key, a value that is no list, an entry that is no name, a name in both lists, more
// than kMostNodePrecisionBytes. If `float32_refusal` is not empty, a list of float32 is an error
// with this sentence, for tools that have no such list.
NodePrecisionLists ParseNodePrecision(std::string_view text, std::string_view where,
                                      std::string_view float32_refusal = {});

// The text of the file. ParseNodePrecision() reads it back to an equal value. An empty list of
// float32, which older compilers do not know, is left out; so is an empty list of float16 beside
// one of float32. Error kUnsupported: a name that is not UTF-8.
std::string WriteNodePrecision(const NodePrecisionLists& precision);

}  // namespace halftone
