// Search space of a network: precision modes x keep_dtype sets x implementation-mode sets.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "search/space/node_choices.h"
#include "search/trial/candidate.h"
#include "src/ir/graph.h"
#include "src/ir/numeric_format.h"
#include "src/precision/precision_options.h"
#include "src/target/target_spec.h"

namespace halftone {

// Mode that lowers no operator to 16 bits: everything is in float32, or in 8 bits where these are
// searched.
inline constexpr std::string_view kNothingLowered = "must_keep_origin_dtype";

// A named set of implementation modes, written as an --op_precision_mode ini.
struct ImplModeSet {
  // "default", "high_precision", "high_performance", "high_performance for Conv2D"
  std::string name;
  bool given = false;  // false: no ini file is written, and the built-in file decides
  std::map<std::string, ImplMode> by_type;

  friend bool operator==(const ImplModeSet&, const ImplModeSet&) = default;
};

struct SearchSpace {
  std::vector<std::string> modes;           // --precision_mode values, fastest first as documented
  std::vector<std::string> keepable_nodes;  // in graph order; each may be kept in float32 or not
  // Per keepable node: the other nodes of its step, which a keep_dtype file lists together with it.
  std::map<std::string, std::vector<std::string>> kept_with;
  std::vector<ImplModeSet> impl_mode_sets;     // the first is "default"
  std::vector<SlowChoice> slow_choices;        // choices that the strategy `model` leaves out
  std::vector<NumericFormat> refused_formats;  // formats that the runtime does not have
  SharedQuantization quantization;  // scales of 8-bit operators; null: 8 bits are not searched
  std::vector<std::string> notes;   // modes and nodes left out, and why
  std::vector<std::string> pinned_keep_dtype;  // keep_dtype lines that every candidate has

  const Vocabulary* words = &AllVocabularies()[0];  // vocabulary of the target; never null

  // "7 modes x 2^12 keep_dtype sets x 5 implementation-mode sets", in the vocabulary of the target.
  [[nodiscard]] std::string ChoicesText() const;

  // Text for reports: ChoicesText(), then the number of operators that are decided with another one
  // and the number of slow choices left out, each with the reason.
  [[nodiscard]] std::string Summary() const;

  // Number of candidates: modes x 2^(keepable nodes) x implementation-mode sets, at most 2^63 - 1.
  [[nodiscard]] std::uint64_t size() const;
};

// Options that the user pins: they apply to every candidate and are not searched.
struct SpaceOptions {
  std::vector<std::string> modes;  // the only modes searched; empty: all that the target supports
  std::vector<std::string> pinned_keep_dtype;
};

struct SearchedModes {
  std::vector<std::string> names;  // values of --precision_mode
  std::vector<std::string> notes;  // modes left out, and why
};

// Modes that `values` of --precision_mode or --precision_mode_v2 name, fastest first; all modes of
// the target if `values` is empty. Error kUsage (E10001) for a value that is no mode or has no
// rules; error kUsage if no mode is left.
SearchedModes ModesToSearch(const TargetSpec& target, const std::vector<std::string>& values);

// Leaves out, with a note, modes that the target refuses as a whole or for an operator of the
// network, and nodes that the target cannot run in float32. If the target refuses all modes, the
// space has these modes with nothing kept and the default implementations. A node is keepable if it
// is not pinned, has a tunable operand, computes (does not only move data), and has a name that the
// keep_dtype format can express. Keepable nodes of one step are kept together.
SearchSpace MakeSearchSpace(const Graph& graph, const TargetSpec& target,
                            const SpaceOptions& options = {});

// Assembles a candidate; `kept` are indices into keepable_nodes.
Candidate MakeCandidate(const SearchSpace& space, std::size_t mode,
                        const std::vector<std::size_t>& kept, std::size_t impl_mode_set);

}  // namespace halftone
