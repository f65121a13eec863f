// Names in Glow's profiles, and the results that they mean.
//
// Glow names a node after the ONNX node, or `<type>_<first output>` where that has no name, makes
// an identifier of it, and numbers those that are not unique. Nodes that it adds (transposes around
// a convolution) take the name of the ONNX node too, so that a number may belong to any of them:
// where several results are possible, all are listed and none is guessed.
// Source: Glow, ProtobufLoader.h loadOperatorName, lib/Base and lib/Graph legalizeName, uniqueName.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// `name` with `_` for each byte outside [A-Za-z0-9_], and an `A` in front if it is empty or begins
// with a digit. The number of a name that is not unique, `__3`, is not part of it.
std::string GlowIdentifier(std::string_view name);

// The name that Glow turns into an identifier: the node's, else "<type>_<first output>".
std::string GlowNodeName(std::string_view node_name, std::string_view type,
                         std::string_view first_output);

// A node, graph input or constant that records may name. An input or constant has one result, which
// has its name.
struct GlowCandidate {
  std::string name;  // GlowNodeName(), or the name of the value
  std::size_t results = 1;

  friend bool operator==(const GlowCandidate&, const GlowCandidate&) = default;
};

// One result that a record may mean.
struct GlowTarget {
  std::size_t candidate = 0;  // index
  std::size_t result = 0;     // below its `results`

  friend auto operator<=>(const GlowTarget&, const GlowTarget&) = default;
};

inline constexpr std::size_t kMostGlowTargets = 8;

struct GlowMatches {
  // Parallel to the records: the results that each may mean, sorted; the first kMostGlowTargets.
  std::vector<std::vector<GlowTarget>> targets;
  // Indices of records without a target; and of those with several targets, or with one that other
  // records may mean too. Each remaining record has one target, which no other record has.
  std::vector<std::size_t> unmatched;
  std::vector<std::size_t> ambiguous;
};

// `record_names`: "<name>:<result>". A record means the candidates whose identifier is exactly its
// name. If there are none and the name ends in a number, `__3`, it means those whose identifier is
// the same without such an end. Cost: linear, times a logarithm.
GlowMatches MatchGlowRecords(std::span<const std::string> record_names,
                             std::span<const GlowCandidate> candidates);

}  // namespace halftone
