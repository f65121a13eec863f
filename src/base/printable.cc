#include "src/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace halftone {
namespace {

// The UTF-8 character at the start of a text: number of bytes, and code point. No bytes: there is
// none (table 3-7 of the Unicode standard: no overlong encodings, no surrogates, up to U+10FFFF).
struct Character {
  std::size_t length = 0;
  std::uint32_t code = 0;
};

Character FirstOf(std::string_view text) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto between = [](std::uint32_t value, std::uint32_t low, std::uint32_t high) {
    return value >= low && value <= high;
  };
  const auto continues = [&](std::size_t i) { return between(byte(i), 0x80, 0xbf); };
  const auto bits = [&](std::size_t i) { return byte(i) & 0x3fU; };
  const std::uint32_t first = byte(0);
  if (!text.empty() && first < 0x80) {
    return {1, first};
  }
  if (between(first, 0xc2, 0xdf) && continues(1)) {
    return {2, (first & 0x1fU) << 6 | bits(1)};
  }
  if (between(first, 0xe0, 0xef)) {
    const std::uint32_t low = first == 0xe0 ? 0xa0 : 0x80;
    const std::uint32_t high = first == 0xed ? 0x9f : 0xbf;  // no surrogates
    if (between(byte(1), low, high) && continues(2)) {
      return {3, (first & 0xfU) << 12 | bits(1) << 6 | bits(2)};
    }
  }
  if (between(first, 0xf0, 0xf4)) {
    const std::uint32_t low = first == 0xf0 ? 0x90 : 0x80;
    const std::uint32_t high = first == 0xf4 ? 0x8f : 0xbf;
    if (between(byte(1), low, high) && continues(2) && continues(3)) {
      return {4, (first & 0x7U) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3)};
    }
  }
  return {};
}

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Characters shown as escapes. The bidirectional controls are those of Unicode Standard Annex #9,
// 2.1 to 2.6 (CVE-2021-42574 is what they can do to a reader).
constexpr Range kNotShown[] = {
    {0x0000, 0x001f},  // C0: ESC, BEL, line breaks
    {0x007f, 0x009f},  // DEL; C1, of which U+009B is ESC [ in one character
    {0x061c, 0x061c},  // Arabic letter mark
    {0x200e, 0x200f},  // left-to-right and right-to-left mark
    {0x2028, 0x2029},  // line and paragraph separator
    {0x202a, 0x202e},  // embeddings and overrides
    {0x2066, 0x2069},  // isolates
    {0xfdd0, 0xfdef},  // noncharacters; and the last two of each plane, of which XML has no U+FFFE
};

bool IsShown(std::uint32_t code) {
  constexpr std::uint32_t kLastTwo = 0xfffe;
  return (code & kLastTwo) != kLastTwo && std::ranges::none_of(kNotShown, [&](const Range& range) {
           return code >= range.first && code <= range.last;
         });
}

constexpr std::uint32_t kFirstBeyondAscii = 0x80;

// "\u202e"; with two of them beyond U+FFFF where `utf16`, as JSON has it, else "\U0001fffe".
std::string CodeEscape(std::uint32_t code, bool utf16) {
  if (code <= 0xffff) {
    return fmt::format("\\u{:04x}", code);
  }
  const std::uint32_t offset = code - 0x10000;
  return utf16 ? fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (offset >> 10),
                             0xdc00 + (offset & 0x3ffU))
               : fmt::format("\\U{:08x}", code);
}

std::string Escaped(char byte, const Character& character) {
  if (character.length > 0 && character.code >= kFirstBeyondAscii) {
    return CodeEscape(character.code, false);
  }
  switch (byte) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
}

// Calls `add` with each character of the text as it is shown.
template <typename Add>
void ForEachShown(std::string_view text, const Add& add) {
  while (!text.empty()) {
    const Character character = FirstOf(text);
    const std::size_t length = std::max<std::size_t>(character.length, 1);
    if (character.length > 0 && IsShown(character.code)) {
      add(text.substr(0, length));
    } else {
      add(std::string_view(Escaped(text.front(), character)));
    }
    text.remove_prefix(length);
  }
}

// The bytes of the colour sequence at the start of `text`; 0 where there is none (Select Graphic
// Rendition, ECMA-48, 8.3.117).
std::size_t ColorLength(std::string_view text) {
  if (!text.starts_with("\x1b[")) {
    return 0;
  }
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  ForEachShown(text, [&](std::string_view character) { shown += character; });
  return shown;
}

std::string Shown(std::string_view text) {
  constexpr std::size_t kMost = 80;
  constexpr std::string_view kGap = "...";
  constexpr std::size_t kEnough = kMost * 4;  // bytes: no character has more than four
  std::string ends;                           // of a long text: all that can be shown of it
  if (text.size() > 2 * kEnough) {
    ends.append(text.substr(0, kEnough)).append(text.substr(text.size() - kEnough));
    text = ends;
  }
  std::vector<std::string> characters;
  ForEachShown(text, [&](std::string_view character) { characters.emplace_back(character); });
  if (characters.size() > kMost) {
    const auto head = static_cast<std::ptrdiff_t>((kMost - kGap.size()) / 2);
    const auto tail = static_cast<std::ptrdiff_t>(kMost - kGap.size()) - head;
    characters.erase(characters.begin() + head, characters.end() - tail);
    characters.insert(characters.begin() + head, std::string(kGap));
  }
  return fmt::format("{}", fmt::join(characters, ""));
}

void AddLine(std::string& text, std::string_view line) {
  text += Printable(line);
  text += '\n';
}

std::string PrintableLines(std::string_view text, Colors colors) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\x1b"), text.size());
    shown += Printable(text.substr(0, end));
    text.remove_prefix(end);
    if (text.empty()) {
      break;
    }
    const std::size_t kept = text.front() == '\n'     ? 1
                             : colors == Colors::kYes ? ColorLength(text)
                                                      : 0;
    shown += kept > 0 ? std::string(text.substr(0, kept)) : Printable(text.substr(0, 1));
    text.remove_prefix(std::max<std::size_t>(kept, 1));
  }
  return shown;
}

std::string PrintableJson(std::string_view document) {
  std::string escaped;
  escaped.reserve(document.size());
  while (!document.empty()) {
    const Character character = FirstOf(document);
    const std::size_t length = std::max<std::size_t>(character.length, 1);
    // DEL is the one character of ASCII that JSON lets stand in strings and no terminal shows.
    const bool in_string = character.code >= kFirstBeyondAscii || character.code == 0x7f;
    if (in_string && !IsShown(character.code)) {
      escaped += CodeEscape(character.code, true);
    } else {
      escaped += document.substr(0, length);
    }
    document.remove_prefix(length);
  }
  return escaped;
}

}  // namespace halftone
