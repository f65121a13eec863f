// Names in Glow's profiles, and whose results they mean.
//
// Glow names a node after the ONNX node, or `<type>_<first output>` where that has no name, makes
// an identifier of it, and numbers those that are not unique. Nodes that it adds (transposes around
// a convolution) take the name of the ONNX node too, so that a number may belong to any of them:
// what cannot be told apart is listed, not guessed.
// Source: Glow, ProtobufLoader.h loadOperatorName, lib/Base and lib/Graph legalizeName, uniqueName.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// `name` with `_` for each byte outside [A-Za-z0-9_], and an `A` before a digit in front or for
// nothing at all. The number of a name that is not unique, `__3`, is not part of it.
std::string GlowIdentifier(std::string_view name);

// What Glow makes an identifier of: the node's name, else "<type>_<first output>".
std::string GlowNodeName(std::string_view node_name, std::string_view type,
                         std::string_view first_output);

// A node, graph input or constant that records may name. Inputs and constants are one result of
// their own name.
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
  // Indices of records: of those with no target; with several, or with one that other records may
  // mean too. The remaining ones have one target, and it has no other record.
  std::vector<std::size_t> unmatched;
  std::vector<std::size_t> ambiguous;
};

// `record_names`: "<name>:<result>". A record means the candidates whose identifier is exactly its
// name; where there is none and it ends in a number, `__3`, those whose identifier without such an
// end is the same. Cost: linear, but for a logarithm.
GlowMatches MatchGlowRecords(std::span<const std::string> record_names,
                             std::span<const GlowCandidate> candidates);

}  // namespace halftone
