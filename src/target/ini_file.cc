#include "src/target/ini_file.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::size_t kMostBytesInALine = 4096;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

[[noreturn]] void ThrowAt(std::string_view where, std::string_view what) {
  throw Error(ErrorKind::kUsage, fmt::format("{}: {}", where, what));
}

void CheckLine(std::string_view line, std::string_view where) {
  if (line.size() > kMostBytesInALine) {
    ThrowAt(where, fmt::format("expected a line of at most {} bytes, found {}", kMostBytesInALine,
                               line.size()));
  }
  if (line.find('\0') != std::string_view::npos) {
    ThrowAt(where, "expected a text file, found a zero byte");
  }
}

void AddSection(std::vector<IniSection>& sections, std::string_view name,
                const std::string& where) {
  for (const IniSection& section : sections) {
    if (section.name == name) {
      ThrowAt(where, fmt::format("the section [{}] stands twice, first at {}; join them", name,
                                 section.where));
    }
  }
  sections.push_back({std::string(name), where, {}});
}

void AddEntry(IniSection& section, std::string_view line, const std::string& where) {
  const std::size_t equals = line.find('=');
  const std::string_view key = Trim(line.substr(0, equals));
  if (equals == std::string_view::npos || key.empty()) {
    ThrowAt(where, fmt::format("expected 'key = value' or '[section]', found {}", Quoted(line)));
  }
  if (const IniEntry* first = section.Find(key)) {
    ThrowAt(where, fmt::format("'{}' stands twice in [{}], first at {}; keep one of them", key,
                               section.name, first->where));
  }
  section.entries.push_back({std::string(key), std::string(Trim(line.substr(equals + 1))), where});
}

}  // namespace

const IniEntry* IniSection::Find(std::string_view key) const {
  for (const IniEntry& entry : entries) {
    if (entry.key == key) {
      return &entry;
    }
  }
  return nullptr;
}

std::vector<IniSection> ParseIni(std::string_view text, std::string_view file) {
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  std::vector<IniSection> sections;
  std::size_t number = 0;
  for (const std::string_view raw : Split(text, '\n')) {
    const std::string where = fmt::format("{}:{}", file, ++number);
    CheckLine(raw, where);
    const std::string_view line = Trim(raw);
    if (line.empty() || line.front() == '#') {
      continue;
    }
    if (line.front() == '[' && line.back() == ']') {
      AddSection(sections, Trim(line.substr(1, line.size() - 2)), where);
    } else if (sections.empty()) {
      ThrowAt(where,
              fmt::format("expected a section such as [target] first, found {}", Quoted(line)));
    } else {
      AddEntry(sections.back(), line, where);
    }
  }
  return sections;
}

std::string Quoted(std::string_view text) {
  return fmt::format("'{}'", Shown(text));
}

}  // namespace halftone
