// Parser of the text form of protocol buffers, in which AMCT's configuration files are written.
// Gives a tree, within limits; knows no schema.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halftone {

inline constexpr std::size_t kMostProtoTextBytes = 16U << 20U;  // 100,000 names of 160 bytes
inline constexpr int kMostProtoTextLevels = 16;

struct ProtoField {
  std::string name;
  int line = 1;                    // in the file, from 1
  bool is_message = false;         // `name { ... }`
  bool quoted = false;             // a scalar in quotes
  std::string text;                // of a scalar, without quotes and escapes
  std::vector<ProtoField> fields;  // of a message, in the order of the file
};

// The fields of a file; `name: [a, b]` is two fields. Error kUsage, "<where>:<line>: ...": not such
// a text, an unknown escape, more than the limits.
std::vector<ProtoField> ParseProtoText(std::string_view text, std::string_view where);

// `text` in quotes, as ParseProtoText() reads it back; bytes that are no ASCII stay as they are.
std::string ProtoString(std::string_view text);

}  // namespace halftone
