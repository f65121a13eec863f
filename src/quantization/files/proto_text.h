// Parser of the text form of protocol buffers, in which AMCT's configuration files are written. It
// returns a tree of fields and knows no schema.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halftone {

inline constexpr std::size_t kMostProtoTextBytes = 16U << 20U;  // 100,000 names of 160 bytes
inline constexpr int kMostProtoTextLevels = 16;

struct ProtoField {
  std::string name;
  int line = 1;                    // line in the file, from 1
  bool is_message = false;         // true for `name { ... }`, false for a scalar
  bool quoted = false;             // true for a scalar in quotes
  std::string text;                // text of a scalar, without quotes and with escapes replaced
  std::vector<ProtoField> fields;  // fields of a message, in the order of the file
};

// Parses the text of the file named `where` and returns its fields; `name: [a, b]` becomes two
// fields. Error kUsage, "<where>:<line>: ...": not the text form of protocol buffers, an unknown
// escape, more bytes or levels than the limits above.
std::vector<ProtoField> ParseProtoText(std::string_view text, std::string_view where);

// `text` in quotes, with the escapes that ParseProtoText() needs to read it back.
std::string ProtoString(std::string_view text);

}  // namespace halftone
