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
  bool given = false;  // false: no ini file, the built-in file decides
  std::map<std::string, ImplMode> by_type;

  friend bool operator==(const ImplModeSet&, const ImplModeSet&) = default;
};

struct SearchSpace {
  std::vector<std::string> modes;           // --precision_mode values, fastest first as documented
  std::vector<std::string> keepable_nodes;  // in graph order; each may be kept in float32 or not
  // Per keepable node, the other nodes of its step, which keep_dtype lists with it.
  std::map<std::string, std::vector<std::string>> kept_with;
  std::vector<ImplModeSet> impl_mode_sets;     // the first is "default"
  std::vector<SlowChoice> slow_choices;        // left out of the search by model
  std::vector<NumericFormat> refused_formats;  // formats that the runtime does not have
  SharedQuantization quantization;  // scales of 8-bit operators; null: 8 bits are not searched
  std::vector<std::string> notes;   // modes and nodes left out, and why
  std::vector<std::string> pinned_keep_dtype;  // keep_dtype lines that every candidate has

  const Vocabulary* words = &AllVocabularies()[0];  // vocabulary of the target; never null

  // "7 modes x 2^12 keep_dtype sets x 5 implementation-mode sets", in the vocabulary of the target.
  [[nodiscard]] std::string ChoicesText() const;

  // Text for reports: the size, and each operator without its own decision, with the reason.
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

// Modes that these option values name, fastest first; all modes of the target if there are no
// values. Errors: kUsage E10001 for a value that is no mode or has no rules, kUsage if no mode is
// left.
SearchedModes ModesToSearch(const TargetSpec& target, const std::vector<std::string>& values);

// Leaves out, with a note, modes that the target refuses as a whole or for an operator of the
// network, and nodes that it cannot run in float32. If it refuses all modes, the space has these
// modes with nothing kept and the default implementations. A node is keepable if it has a tunable
// operand, computes (does not only move data), and has a name that the keep_dtype format can
// express.
SearchSpace MakeSearchSpace(const Graph& graph, const TargetSpec& target,
                            const SpaceOptions& options = {});

// Assembles a candidate; `kept` are indices into keepable_nodes.
Candidate MakeCandidate(const SearchSpace& space, std::size_t mode,
                        const std::vector<std::size_t>& kept, std::size_t impl_mode_set);

}  // namespace halftone
