// Foreign text made safe to show: names in a model, lines of a file, paths, command lines.
//
// A terminal acts on control characters (ESC begins a sequence that moves the cursor, retitles the
// window or types for the user), a line break forges a line of ours, and bidirectional controls
// show text in another order than it is stored. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "halftone/words.h"

namespace halftone {

// `text` on one line, with what is not shown as it is in escapes: \n, \t, \r; \x1b for other ASCII
// controls and for each byte that is not UTF-8; \u009b, \u202e for C1 controls, line separators,
// bidirectional controls and noncharacters. Total; text without these comes back as it is, so
// doing it twice is doing it once.
std::string Printable(std::string_view text);

// Appends `line` as one line: Printable(), then a line break. How a text of several lines for the
// screen is put together.
void AddLine(std::string& text, std::string_view line);

enum class Colors : bool { kNo, kYes };

// `text` that was put together of printable lines, for a terminal: line breaks stay, and with
// kYes the colours of the screen (ESC [ digits and semicolons m); all else as Printable(). The
// last line of defence: foreign text becomes printable where it is put into a line, since its
// line breaks cannot be told from ours here.
std::string PrintableLines(std::string_view text, Colors colors);

// A JSON document with the characters in \u escapes that JSON lets stand in strings and
// Printable() does not show: the same document to any reader. Requires UTF-8.
std::string PrintableJson(std::string_view document);

}  // namespace halftone
