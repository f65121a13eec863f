// Ini syntax of target files: sections of "key = value" lines, checked strictly.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct IniEntry {
  std::string key;
  std::string value;  // trimmed; may be empty
  std::string where;  // "my.ini:12", for messages
};

struct IniSection {
  std::string name;
  std::string where;
  std::vector<IniEntry> entries;  // in the order of the file; no key twice

  // The entry of a key; null when there is none.
  [[nodiscard]] const IniEntry* Find(std::string_view key) const;
};

// Parses `text`; `file` names it in messages. UTF-8, LF or CRLF; a byte-order mark at the start is
// dropped, empty lines and those that begin with "#" are skipped. Error kUsage naming file and
// line: bytes that are no text, a line of more than 4096 bytes, a line that is neither section nor
// entry, an entry before the first section, a section or a key that stands twice.
std::vector<IniSection> ParseIni(std::string_view text, std::string_view file);

// Shown(text) in quotation marks, as messages quote a part of a file.
std::string Quoted(std::string_view text);

}  // namespace halftone
