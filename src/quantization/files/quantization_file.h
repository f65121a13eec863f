// File quantization.json: a whole quantisation and its origin. Tables of other tools
// (range_table.h) hold only a part of it. Format: docs/reference/range_files.md and
// docs/reference/quantization.schema.json.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "src/quantization/quantization.h"

namespace halftone {

inline constexpr int kQuantizationSchemaVersion = 1;
// Most bytes of a file that is read. The scales of 1,000,000 channels take 15 MB.
inline constexpr std::size_t kMostQuantizationBytes = 64U << 20U;

struct QuantizationFile {
  Quantization quantization;
  QuantizationSource source;
  // Formats of the nodes that a plan runs in 8 bits, by node name: "int8", "dynamic int8", "int8 to
  // float32" or "int8 to float16". Nodes without an entry run in another format.
  std::map<std::string, std::string> operators;

  friend bool operator==(const QuantizationFile&, const QuantizationFile&) = default;
};

// The text of the file. ParseQuantization() reads it back to an equal value, with the same digest
// and the same bits of each float. Requires finite scales above 0 and finite shifts (Error
// kInternal). Error kUnsupported: a name that is not UTF-8.
std::string WriteQuantization(const QuantizationFile& file);

// Parses the text of the file named `origin`. Error kUsage, "<origin>: <place>: ...": not JSON,
// another schema_version, an unknown or missing key, a value of another type or out of its range,
// lists with different lengths, a range or digest that does not fit the scales, more than
// kMostQuantizationBytes.
QuantizationFile ParseQuantization(std::string_view text, std::string_view origin);

}  // namespace halftone
