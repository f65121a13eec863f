// Functions that make foreign text safe to show: names in a model, lines of a file, paths, command
// lines.
//
// A terminal acts on control characters: ESC begins a sequence that moves the cursor, renames the
// window or types for the user. A line break in a name can forge a line of the program.
// Bidirectional controls show text in another order than it is stored. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "halftone/words.h"

namespace halftone {

// Returns `text` on one line, with escapes for characters that are not shown: \n, \t and \r; \x1b
// for other ASCII controls and for each byte that is not UTF-8; \u009b and \u202e for C1 controls,
// line separators, bidirectional controls and noncharacters. Other characters, and so the result of
// an earlier call, are not changed.
std::string Printable(std::string_view text);

// Appends Printable(line) and a line break to `text`. Texts of several lines are built by this.
void AddLine(std::string& text, std::string_view line);

enum class Colors : bool { kNo, kYes };

// Returns a text of several lines for a terminal: as Printable(), but line breaks stay, and with
// kYes also colour sequences (ESC [ digits and semicolons m). This is a last safeguard. Foreign
// text must be made printable before it becomes part of a line: here its line breaks look like
// those of the program.
std::string PrintableLines(std::string_view text, Colors colors);

// Returns a JSON document in which characters that Printable() does not show are \u escapes; every
// reader reads the same content. Requires UTF-8.
std::string PrintableJson(std::string_view document);

}  // namespace halftone
