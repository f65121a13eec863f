// Match of the names in Glow's profiles with results of the network.
//
// Glow names a node after the ONNX node, or "<type>_<first output>" if the ONNX node has no name.
// It turns this name into an identifier and appends a number, such as "__3", if the identifier is
// already in use. Nodes that Glow adds (transposes around a convolution) take the name of the ONNX
// node too, so a number may belong to any of them. If a name can mean several results, all of them
// are listed and none is guessed.
// Source: Glow, ProtobufLoader.h loadOperatorName, lib/Base and lib/Graph legalizeName, uniqueName.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// The identifier that Glow makes of `name`: each byte outside [A-Za-z0-9_] becomes '_', and an 'A'
// comes in front if the name is empty or begins with a digit. No number is appended.
std::string GlowIdentifier(std::string_view name);

// The name that Glow turns into an identifier: `node_name`, or "<type>_<first output>" if that is
// empty.
std::string GlowNodeName(std::string_view node_name, std::string_view type,
                         std::string_view first_output);

// A node, graph input or constant that records of a profile may name.
struct GlowCandidate {
  std::string name;         // GlowNodeName() of a node, name of an input or constant
  std::size_t results = 1;  // number of results; 1 for an input or constant

  friend bool operator==(const GlowCandidate&, const GlowCandidate&) = default;
};

// One result that a record may mean.
struct GlowTarget {
  std::size_t candidate = 0;  // index of the candidate
  std::size_t result = 0;     // index of its result, below GlowCandidate::results

  friend auto operator<=>(const GlowTarget&, const GlowTarget&) = default;
};

// Most results that are listed for one record.
inline constexpr std::size_t kMostGlowTargets = 8;

struct GlowMatches {
  // The results that each record may mean, sorted; parallel to the records.
  std::vector<std::vector<GlowTarget>> targets;
  // Indices of records without a target.
  std::vector<std::size_t> unmatched;
  // Indices of records with several targets, or with one target that other records may mean too.
  // Each record in neither list has one target, and no other record has it.
  std::vector<std::size_t> ambiguous;
};

// Matches records, named "<name>:<result>", with candidates. A record means the candidates whose
// identifier is exactly its name. If there are none and the name ends in a number, such as "__3",
// the name and the identifiers are compared without such numbers. Cost: O(n log n).
GlowMatches MatchGlowRecords(std::span<const std::string> record_names,
                             std::span<const GlowCandidate> candidates);

}  // namespace halftone
