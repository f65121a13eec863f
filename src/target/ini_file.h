// Strict parser of the ini syntax of target files: sections of lines "key = value".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct IniEntry {
  std::string key;
  std::string value;  // without blanks at both ends; may be empty
  std::string where;  // file and line, for messages: "my.ini:12"
};

struct IniSection {
  std::string name;
  std::string where;              // as IniEntry::where
  std::vector<IniEntry> entries;  // in the order of the file; no key twice

  // Returns the entry with this key; null: there is none.
  [[nodiscard]] const IniEntry* Find(std::string_view key) const;
};

// Parses `text`, UTF-8 with LF or CRLF; `file` names it in messages. A byte-order mark at the start
// is dropped. Empty lines and lines that begin with "#" are skipped. Error kUsage, which names file
// and line: a zero byte, a line of more than 4096 bytes, a line that is neither section nor entry,
// an entry before the first section, or a section or key that stands twice.
std::vector<IniSection> ParseIni(std::string_view text, std::string_view file);

// Returns Shown(text) in single quotes, for messages.
std::string Quoted(std::string_view text);

}  // namespace halftone
