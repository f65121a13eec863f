// Output on standard output and standard error. No other code of halftone writes to them
// (scripts/check_output.py).
//
// Foreign text (names in a model, paths, lines of files) is made printable (src/base/printable.h).
// A stream that can no longer be written does not end the work: nothing here throws, further text
// for that stream is dropped, and main() chooses the exit code at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/base/printable.h"

namespace halftone {

// Call once, before any file is opened or text printed. Opens /dev/null in place of a closed
// standard stream (>&-), so that no other file gets its number and then the printed text. Ignores
// the signals SIGPIPE and SIGXFSZ: a write to a pipe without a reader, or beyond a limit on file
// sizes, fails with an error.
void PrepareStandardStreams();

// Messages that are printed besides results, warnings and errors.
enum class Verbosity : std::uint8_t {
  kQuiet,    // nothing
  kNormal,   // notes and the progress of long work
  kVerbose,  // also a line for each measured plan
};

void SetVerbosity(Verbosity verbosity);
Verbosity CurrentVerbosity();

// Width for text on standard output: that of the terminal; if it is no terminal, that of the
// environment variable COLUMNS, or else 80. At least 60.
std::size_t TerminalColumns();

// Width for tables with a row for each node. As TerminalColumns() on a terminal or with COLUMNS;
// otherwise so wide that each row is one line, for other programs to read.
std::size_t ListColumns();

// True if standard output is a terminal.
bool OutputIsTerminal();

// Prints Printable(line) and a line break on standard output.
void PrintLine(std::string_view line);

// Prints lines from a formatter on standard output, each made printable.
void PrintText(std::string_view text, Colors colors = Colors::kNo);

// Prints Printable(line) and a line break on standard error.
void PrintErrorLine(std::string_view line);

// Print "note: ..." (unless kQuiet) and "warning: ..." on standard error.
void PrintNote(std::string_view note);
void PrintWarning(std::string_view warning);

// Replaces the current line of the terminal on standard error by the text, without a line break.
void PrintStatus(std::string_view text);

// True if standard output is a pipe or a socket whose reader is gone, so that work can end before
// it prints in vain. Cost: one system call.
bool NobodyReadsOutput();

// The errno of the first failed write to standard output; 0: no write failed.
int OutputError();

}  // namespace halftone
