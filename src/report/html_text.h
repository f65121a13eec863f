// Pieces of HTML. Names come from models and may hold anything, so all text is escaped here.
#pragma once

#include <string>
#include <string_view>

#include "src/base/text_table.h"

namespace halftone {

// `text` escaped for HTML: for text and for attributes in double quotes. Escapes unprintable
// characters too.
std::string HtmlEscaped(std::string_view text);

// A table with a caption, in a box that scrolls sideways by itself. Each cell knows its heading, so
// that a narrow page can show rows as lists. `marked`: index of the highlighted row; -1: none.
std::string HtmlTable(const TextTable& table, std::string_view caption, int marked = -1);

// A section with a heading of the second level. `body` is HTML.
std::string HtmlSection(std::string_view id, std::string_view heading, const std::string& body);

// A figure with an empty canvas that the page's scripts draw on. `label` describes it in words, for
// those who do not see it.
std::string HtmlChart(std::string_view id, std::string_view label);

// A section that is folded until the reader opens it. `body` is HTML.
std::string HtmlFolded(std::string_view summary, const std::string& body);

// A hash as content security policies have it: "'sha256-<base64>'".
std::string PolicyHash(std::string_view sha256_hex);

// JSON that can stand between <script> and </script>, with < > & as \u003c \u003e \u0026.
std::string JsonForScript(std::string_view json);

}  // namespace halftone
