#include "src/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace halftone {
namespace {

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// Three significant digits without an exponent for 1 <= value < 1000.
std::string ThreeDigits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

// The bytes of the printable UTF-8 character at the start of `text`; 0 when there is none. Table
// 3-7 of the Unicode standard, without the control characters U+0000..U+001F and U+007F..U+009F.
std::size_t PrintableLength(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto between = [](unsigned value, unsigned low, unsigned high) {
    return value >= low && value <= high;
  };
  const unsigned first = byte(0);
  if (between(first, 0x20, 0x7e)) {
    return 1;
  }
  const unsigned second = byte(1);
  if (between(first, 0xc2, 0xdf)) {
    return between(second, first == 0xc2 ? 0xa0 : 0x80, 0xbf) ? 2 : 0;
  }
  const bool third_follows = between(byte(2), 0x80, 0xbf);
  if (between(first, 0xe0, 0xef)) {
    const unsigned low = first == 0xe0 ? 0xa0 : 0x80;
    const unsigned high = first == 0xed ? 0x9f : 0xbf;  // no surrogates
    return between(second, low, high) && third_follows ? 3 : 0;
  }
  if (between(first, 0xf0, 0xf4)) {
    const unsigned low = first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = first == 0xf4 ? 0x8f : 0xbf;
    return between(second, low, high) && third_follows && between(byte(3), 0x80, 0xbf) ? 4 : 0;
  }
  return 0;
}

std::string Escaped(char c) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
}

// One item a character as it is shown.
std::vector<std::string> ShownCharacters(std::string_view text) {
  std::vector<std::string> characters;
  while (!text.empty()) {
    const std::size_t length = PrintableLength(text);
    characters.push_back(length == 0 ? Escaped(text.front()) : std::string(text.substr(0, length)));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return characters;
}

}  // namespace

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  while (true) {
    const auto end = text.find(separator, begin);
    if (end == std::string_view::npos) {
      parts.push_back(text.substr(begin));
      return parts;
    }
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string Printable(std::string_view text) {
  return Join(ShownCharacters(text), "");
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
  std::vector<std::string> characters = ShownCharacters(text);
  if (characters.size() > kMost) {
    const auto head = static_cast<std::ptrdiff_t>((kMost - kGap.size()) / 2);
    const auto tail = static_cast<std::ptrdiff_t>(kMost - kGap.size()) - head;
    characters.erase(characters.begin() + head, characters.end() - tail);
    characters.insert(characters.begin() + head, std::string(kGap));
  }
  return Join(characters, "");
}

std::string Counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::vector<std::string> ClosestNames(std::string_view word,
                                      const std::vector<std::string>& candidates) {
  constexpr std::size_t kMost = 3;
  const std::size_t farthest = std::max<std::size_t>(2, word.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const auto& candidate : candidates) {
    const std::size_t distance = EditDistance(word, candidate);
    if (distance <= farthest) {
      near.emplace_back(distance, candidate);
    }
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMost, near.size()); ++i) {
    names.push_back(near[i].second);
  }
  return names;
}

std::string FormatBytes(double bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1023.5 && unit + 1 < std::size(kUnits)) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : ThreeDigits(bytes) + " " + kUnits[unit];
}

std::string FormatSeconds(double seconds) {
  struct Unit {
    double size;
    const char* name;
  };

  static constexpr Unit kUnits[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  for (const Unit& unit : kUnits) {
    if (seconds >= 0.9995 * unit.size) {
      return ThreeDigits(seconds / unit.size) + " " + unit.name;
    }
  }
  return "0 s";
}

}  // namespace halftone
