// The open decisions: precision modes x keep_dtype sets x implementation-mode sets.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "search/space/node_choices.h"
#include "search/trial/candidate.h"
#include "src/ir/graph.h"
#include "src/ir/numeric_format.h"
#include "src/precision/precision_options.h"
#include "src/target/target_spec.h"

namespace halftone {

// A named set of implementation modes, written as an --op_precision_mode ini.
struct ImplModeSet {
  // "default", "high_precision", "high_performance", "high_performance for Conv2D"
  std::string name;
  bool given = false;  // false: no ini, the built-in file decides
  std::map<std::string, ImplMode> by_type;

  friend bool operator==(const ImplModeSet&, const ImplModeSet&) = default;
};

struct SearchSpace {
  std::vector<std::string> modes;           // --precision_mode values, fastest first as documented
  std::vector<std::string> keepable_nodes;  // in graph order; each may be kept in float32 or not
  // Per keepable node, the other nodes of its step, which keep_dtype lists with it.
  std::map<std::string, std::vector<std::string>> kept_with;
  std::vector<ImplModeSet> impl_mode_sets;     // the first is "default"
  std::vector<SlowChoice> slow_choices;        // left out of the decisions by operator
  std::vector<NumericFormat> refused_formats;  // that the runtime of a search does not have
  SharedQuantization quantization;             // scales of 8-bit operators; none: not searched
  std::vector<std::string> notes;              // modes and nodes left out, and why
  std::vector<std::string> pinned_keep_dtype;  // keep_dtype lines that every candidate has

  const Vocabulary* words = &AllVocabularies()[0];  // of the target; never null

  // "7 modes x 2^12 keep_dtype sets x 5 implementation-mode sets", in the words of the target.
  [[nodiscard]] std::string ChoicesText() const;

  // Text for reports: the size, and the operators without a decision of their own with the reason.
  [[nodiscard]] std::string Summary() const;

  // modes x 2^keepable x sets, saturating at 2^63-1.
  [[nodiscard]] std::uint64_t size() const;
};

// Options that the user pins: they go into every candidate and are not searched.
struct SpaceOptions {
  std::vector<std::string> modes;  // the only modes searched; empty: all that the target supports
  std::vector<std::string> pinned_keep_dtype;
};

struct SearchedModes {
  std::vector<std::string> names;  // values of --precision_mode
  std::vector<std::string> notes;  // modes left out, and why
};

// Modes that these values of either option name, by speed; all modes of the target when there are
// no values. Error kUsage E10001 for a value that is no mode or has no rules, kUsage when no mode
// is left.
SearchedModes ModesToSearch(const TargetSpec& target, const std::vector<std::string>& values);

// Modes that the target refuses, as a whole or for an operator of the network, are left out
// (noted), and so are nodes that it cannot run in float32; where it refuses all modes, these stay
// with nothing kept and the default implementations. Keepable: nodes with a tunable operand that
// compute (not only move data) and whose name the keep_dtype format can express.
SearchSpace MakeSearchSpace(const Graph& graph, const TargetSpec& target,
                            const SpaceOptions& options = {});

// Assembles a candidate; `kept` are indices into keepable_nodes.
Candidate MakeCandidate(const SearchSpace& space, std::size_t mode,
                        const std::vector<std::size_t>& kept, std::size_t impl_mode_set);

}  // namespace halftone
