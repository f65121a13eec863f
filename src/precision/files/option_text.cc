#include "src/precision/files/option_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/_-.";
constexpr std::string_view kBlanks = " \t\r\n";

// Further characters that single options allow.
struct MoreCharacters {
  std::string_view option;
  std::string_view characters;
};

constexpr MoreCharacters kMore[] = {{"keep_dtype", ":"}};

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Ideographs: Unicode Standard, CJK Unified Ideographs with its extensions, and compatibility
// ideographs.
constexpr Range kChinese[] = {
    {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xf900, 0xfaff}, {0x20000, 0x323af}};

struct Utf8Character {
  std::uint32_t code = 0;  // of a byte that begins no character: its value
  std::size_t length = 1;
};

// The character at the start of `text`, which is not empty.
Utf8Character FirstOf(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  if (length == 1 || text.size() < length) {
    return {lead, 1};
  }
  std::uint32_t code = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) {
      return {lead, 1};
    }
    code = code << 6U | (byte(i) & 0x3fU);
  }
  return {code, length};
}

bool IsChinese(std::uint32_t code) {
  return std::any_of(std::begin(kChinese), std::end(kChinese),
                     [&](const Range& range) { return code >= range.first && code <= range.last; });
}

// Characters of the text before `byte`.
std::size_t CharactersBefore(std::string_view text, std::size_t byte) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < byte; ++count) {
    at += FirstOf(text.substr(at)).length;
  }
  return count;
}

std::string_view MoreOf(const PrecisionOptionRow& option) {
  for (const MoreCharacters& more : kMore) {
    if (more.option == option.name) {
      return more.characters;
    }
  }
  return {};
}

std::string Quoted(std::string_view characters) {
  std::string text;
  for (const char c : characters) {
    text += fmt::format(", '{}'", c);
  }
  return text;
}

}  // namespace

void CheckOptionPath(const PrecisionOptionRow& option, std::string_view path) {
  const std::string_view more = MoreOf(option);
  for (std::size_t at = 0; at < path.size();) {
    const Utf8Character character = FirstOf(path.substr(at));
    const bool plain = kPlain.find(path[at]) != kPlain.npos || more.find(path[at]) != more.npos;
    if (!plain && (character.length == 1 || !IsChinese(character.code))) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("E10001: --{}={}: expected a path of letters, digits, '/', '_', '-', '.'{} "
                      "and Chinese characters, found '{}' as character {}; rename the file, or "
                      "link to it by such a name",
                      option.name, Printable(path), Quoted(more),
                      Printable(path.substr(at, character.length)),
                      CharactersBefore(path, at) + 1));
    }
    at += character.length;
  }
}

void CheckOptionPaths(const PrecisionArguments& arguments) {
  for (const PrecisionOptionRow& option : AllPrecisionOptions()) {
    if (option.is_file()) {
      CheckOptionPath(option, arguments.*option.argument);
    }
  }
}

void RefuseBlanks(const OptionText& value) {
  const std::size_t blank = value.text.find_first_of(kBlanks);
  if (blank == value.text.npos) {
    return;
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("E10001: {}={}: expected operator types separated by ',' without blanks, "
                          "found '{}' as character {}; take it out",
                          value.where, Shown(value.text), Printable(value.text.substr(blank, 1)),
                          CharactersBefore(value.text, blank) + 1));
}

}  // namespace halftone
