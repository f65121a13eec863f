#include "src/report/html_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Cells up to this length stay on one line: an interval, a name. Cells from kLongCell on are wide.
constexpr std::size_t kShortCell = 24;
constexpr std::size_t kLongCell = 60;

struct Replacement {
  char character;
  std::string_view text;
};

template <std::size_t kCount>
std::string Replaced(std::string_view text, const Replacement (&replacements)[kCount]) {
  std::string replaced;
  for (const char c : text) {
    std::string_view by(&c, 1);
    for (const Replacement& row : replacements) {
      by = row.character == c ? row.text : by;
    }
    replaced += by;
  }
  return replaced;
}

constexpr Replacement kHtml[] = {
    {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
constexpr Replacement kScript[] = {{'<', "\\u003c"}, {'>', "\\u003e"}, {'&', "\\u0026"}};

}  // namespace

std::string HtmlEscaped(std::string_view text) {
  return Replaced(Printable(text), kHtml);
}

std::string HtmlTable(const TextTable& table, std::string_view caption, int marked) {
  std::string text = fmt::format(
      "<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\">\n<table>\n"
      "<caption>{0}</caption>\n<thead><tr>",
      HtmlEscaped(caption));
  for (const std::string& cell : table.header) {
    text += fmt::format("<th scope=\"col\">{}</th>", HtmlEscaped(cell));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    text += static_cast<int>(row) == marked ? "<tr class=\"chosen\">" : "<tr>";
    for (std::size_t column = 0; column < table.rows[row].size(); ++column) {
      const std::string& cell = table.rows[row][column];
      text += fmt::format("<td{} data-label=\"{}\">{}</td>",
                          cell.size() <= kShortCell  ? " class=\"short\""
                          : cell.size() >= kLongCell ? " class=\"long\""
                                                     : "",
                          HtmlEscaped(table.header[column]), HtmlEscaped(cell));
    }
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n</div>\n";
}

std::string HtmlSection(std::string_view id, std::string_view heading, const std::string& body) {
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-heading\">\n"
      "<h2 id=\"{0}-heading\">{1}</h2>\n{2}</section>\n",
      id, HtmlEscaped(heading), body);
}

std::string HtmlChart(std::string_view id, std::string_view label) {
  return fmt::format(
      "<figure>\n<div class=\"chart\"><canvas id=\"{0}\" role=\"img\" "
      "aria-label=\"{1}\"></canvas></div>\n<figcaption>{1}</figcaption>\n</figure>\n",
      id, HtmlEscaped(label));
}

std::string HtmlFolded(std::string_view summary, const std::string& body) {
  return fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n", HtmlEscaped(summary),
                     body);
}

std::string PolicyHash(std::string_view sha256_hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < sha256_hex.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(sha256_hex.data() + i, sha256_hex.data() + i + 2, value, 16);
    bytes += static_cast<char>(value);
  }
  std::string base64;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      base64 += i + j <= bytes.size() ? kBase64[group >> (18 - 6 * j) & 63U] : '=';
    }
  }
  return "'sha256-" + base64 + "'";
}

std::string JsonForScript(std::string_view json) {
  return Replaced(json, kScript);
}

}  // namespace halftone
