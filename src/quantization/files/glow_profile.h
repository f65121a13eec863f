// Profile of Glow and of Qualcomm's compiler (-dump-profile, -load-profile): a range and a
// histogram for each result of a node. The file has three YAML documents:
//
//   GlowToolsVersion: <text>        a map; missing in old files
//   GraphPreLowerHash: <64 bits>    a map
//   - NodeOutputName: conv:0        a list, one record for each result
//     Min: -1.5
//     Max: 2.25
//     Histogram: [ 0, 3, 10, 4 ]
//
// The hash is of the graph as Glow prints it, so no other program can compute it; a changed profile
// keeps the hash that was read. glow_names.h finds the result that a record belongs to.
// Source: Glow, lib/Quantization/Serialization.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/strict_yaml.h"

namespace halftone {

// Most bytes of a file that is read. A file with 10,000 records of 512 bins has 53 MB.
inline constexpr std::size_t kMostGlowProfileBytes = 256U << 20U;

struct GlowRecord {
  std::string name;  // "<name>:<index of the result>"
  float min = 0;
  float max = 0;                   // at least `min`
  std::vector<float> histogram;    // counts of values in equal bins from `min` to `max`
  std::vector<YamlMember> others;  // keys that Glow does not have; written behind Glow's four
};

struct GlowProfile {
  // The documents before the records, each one map, in the order of the file: version, hash and
  // vendors' additions. Values are kept as text.
  std::vector<YamlNode> headers;
  std::vector<GlowRecord> records;

  // GlowToolsVersion in the headers; empty: the file has none.
  [[nodiscard]] std::optional<std::string> Version() const;
  // The text of GraphPreLowerHash in the headers.
  [[nodiscard]] std::string Hash() const;
};

// Gives a record another range and transfers its histogram to as many equal bins over this range.
// The counts of an old bin count as evenly spread over it. Counts outside the new range go to its
// end bins, as saturated values do, so that the sum stays the same up to float32 rounding. Requires
// finite min <= max. Cost: linear in the bins.
void SetRange(GlowRecord& record, float min, float max);

// A profile without records, with hash 0. Loaders that compare the hash with their graph refuse it.
GlowProfile OwnGlowProfile(std::string_view version);

// Parses the text of the file named `where`. Error kUsage, "<where>:<line>: ...", naming record and
// key: not YAML, a document of another kind or in another order, a missing key, a value that is no
// number or beyond float32, Min > Max, a negative count, no records, no hash, more than
// kMostGlowProfileBytes. Cost: 0.1 s per MB.
GlowProfile ParseGlowProfile(std::string_view text, std::string_view where);

// The text of the file as Glow writes it, ranges with all their digits, counts with six. It reads
// back to the same headers, order, names and ranges. Requires finite numbers.
std::string WriteGlowProfile(const GlowProfile& profile);

// The exact decimal digits of `value`, without zeros at the end, except one behind the point: 0.1F
// is 0.100000001490116119384765625. Below 2^-126, digits beyond the 126th are lost.
std::string GlowFloat(float value);

}  // namespace halftone
