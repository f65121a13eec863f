// The file of -node-precision-info (Qualcomm Cloud AI): nodes that compute in float16 or float32.
//
//   FP16NodeInstanceNames: [conv0_out, bn0_out]
//   FP32NodeInstanceNames:
//     - "1234"
//
// An entry is the first output of a node, not its name. Grammar: docs/reference/cloud_ai.md.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace halftone {

inline constexpr std::size_t kMostNodePrecisionBytes = 16U << 20U;  // as files of Ascend options

struct NodePrecisionLists {
  // First outputs of nodes; no name is in both.
  std::set<std::string, std::less<>> float16;
  std::set<std::string, std::less<>> float32;

  friend bool operator==(const NodePrecisionLists&, const NodePrecisionLists&) = default;
};

// Numbers are names too: 1234, 0x10, true and yes keep their text. A name that stands twice in a
// list is there once. Error kUsage, "<where>:<line>: ...": not YAML, another key, a value that is
// no list, an entry that is no name, a name in both lists, too large a file; a list of float32,
// for a tool that has none: `float32_refusal` is the sentence then.
NodePrecisionLists ParseNodePrecision(std::string_view text, std::string_view where,
                                      std::string_view float32_refusal = {});

// The file; it reads back to an equal value. The list of float32, which older compilers do not
// know, is left out where it is empty. Error kUnsupported: a name that is not UTF-8.
std::string WriteNodePrecision(const NodePrecisionLists& precision);

}  // namespace halftone
