// quantization.json: all of a quantisation, and where it came from. The only complete form; tables
// of other tools (range_table.h) say less. Format: docs/reference/range_files.md and
// docs/reference/quantization.schema.json.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "src/quantization/quantization.h"

namespace halftone {

inline constexpr int kQuantizationSchemaVersion = 1;
// Of a file that is read: scales of 1,000,000 channels are 15 MB.
inline constexpr std::size_t kMostQuantizationBytes = 64U << 20U;

struct QuantizationFile {
  Quantization quantization;
  QuantizationSource source;
  // Names of nodes that a plan runs in 8 bits: "int8"; "dynamic int8"; "int8 to float32" and "int8
  // to float16" where the result stays in these. Nodes that are not named run in another format.
  std::map<std::string, std::string> operators;

  friend bool operator==(const QuantizationFile&, const QuantizationFile&) = default;
};

// A document that ParseQuantization() reads back to an equal value: the same digest, the same bits
// of each float. Requires finite scales above 0 and finite shifts (Error kInternal). Error
// kUnsupported: a name that is not UTF-8.
std::string WriteQuantization(const QuantizationFile& file);

// `origin`: the file's name. Error kUsage, "<origin>: <place>: ...": not JSON, another
// schema_version, an unknown or missing key, a value of another type or out of its range, lists
// whose lengths disagree, a range or digest that disagrees with the scales, too large a file.
QuantizationFile ParseQuantization(std::string_view text, std::string_view origin);

}  // namespace halftone
