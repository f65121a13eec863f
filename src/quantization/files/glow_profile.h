// The profile of Glow and of Qualcomm's compiler (-dump-profile, -load-profile): a range and a
// histogram for each result of a node, three YAML documents:
//
//   GlowToolsVersion: <text>        a map; missing in old files
//   GraphPreLowerHash: <64 bits>    a map
//   - NodeOutputName: conv:0        a list: a record for each result
//     Min: -1.5
//     Max: 2.25
//     Histogram: [ 0, 3, 10, 4 ]
//
// The hash is that of Glow's own printed graph, which no other program can compute: a profile is
// read, changed and written again. Source: Glow, lib/Quantization/Serialization.cpp. glow_names.h
// finds the result that a record belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/strict_yaml.h"

namespace halftone {

// Limit of a file that is read: 10,000 records of 512 bins are 53 MB.
inline constexpr std::size_t kMostGlowProfileBytes = 256U << 20U;

struct GlowRecord {
  std::string name;  // "<name>:<number of the result>"
  float min = 0;
  float max = 0;                   // at least `min`
  std::vector<float> histogram;    // counts of values in equal bins from `min` to `max`
  std::vector<YamlMember> others;  // keys that Glow does not have; written behind the four
};

struct GlowProfile {
  // The maps before the records, each one document, in the order of the file: version, hash and
  // what a vendor adds. As text: a hash is never computed with.
  std::vector<YamlNode> headers;
  std::vector<GlowRecord> records;

  // Version in the headers; empty: the file has none.
  [[nodiscard]] std::optional<std::string> Version() const;
  // GraphPreLowerHash as it stands in the file.
  [[nodiscard]] std::string Hash() const;
};

// Gives a record another range and spreads its histogram over as many bins in it. Counts are spread
// evenly within their old bins; those outside go to the end bins, as saturated values do, so that
// the sum stays (up to float32 rounding). Requires finite min <= max. Cost: linear in the bins.
void SetRange(GlowRecord& record, float min, float max);

// A profile without records whose hash is 0: it can be read back, but loaders that compare the hash
// with their graph refuse it.
GlowProfile OwnGlowProfile(std::string_view version);

// `where`: the file's name. Error kUsage, "<where>:<line>: ...", naming record and key: not YAML, a
// document of another kind or place, a missing key, a value that is no number or beyond float32,
// Min > Max, a negative count, no records, no hash, more than kMostGlowProfileBytes. Cost: 0.1 s
// per MB.
GlowProfile ParseGlowProfile(std::string_view text, std::string_view where);

// The file as Glow writes it: ranges with all their digits, counts with six. Reads back to the same
// headers, order, names and ranges. Requires finite numbers.
std::string WriteGlowProfile(const GlowProfile& profile);

// Exact decimal digits. Zeros at the end are cut, except one behind the point: 0.1F is
// 0.100000001490116119384765625. Below 2^-126, digits beyond the 126th are lost.
std::string GlowFloat(float value);

}  // namespace halftone
