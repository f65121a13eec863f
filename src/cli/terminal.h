// Standard output and standard error: nothing else of halftone writes to them
// (scripts/check_output.py).
//
// Foreign text (names in a model, paths, lines of files) reaches a terminal printable, see
// src/base/printable.h. A stream that cannot be written any more never ends the work: nothing here
// throws, further text for that stream is dropped, and main() chooses the exit code in the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/base/printable.h"

namespace halftone {

// Call once, before any file is opened or text printed. A standard stream that is closed (>&-)
// becomes /dev/null, so that no file of ours is opened in its place and then printed into. A write
// to a pipe without a reader, or beyond a limit on file sizes, becomes an error in place of a
// signal.
void PrepareStandardStreams();

// Messages that the user wants to read besides results, warnings and errors.
enum class Verbosity : std::uint8_t {
  kQuiet,    // nothing
  kNormal,   // notes and the progress of long work
  kVerbose,  // also a line for each measured plan
};

void SetVerbosity(Verbosity verbosity);
Verbosity CurrentVerbosity();

// Columns for text on standard output: those of the terminal behind it; where it is none, those of
// the environment variable COLUMNS, else 80. At least 60.
std::size_t TerminalColumns();

// The same for tables with a row for each node: in a file or a pipe, unless COLUMNS gives a width,
// so wide that each row is a line, which other programs read.
std::size_t ListColumns();

// True if standard output is a terminal: a person reads it line by line.
bool OutputIsTerminal();

// One line on standard output: Printable(line) and a line break.
void PrintLine(std::string_view line);

// Printable lines from a formatter, on standard output.
void PrintText(std::string_view text, Colors colors = Colors::kNo);

// One line on standard error: Printable(line) and a line break.
void PrintErrorLine(std::string_view line);

// "note: ..." and "warning: ..." on standard error.
void PrintNote(std::string_view note);
void PrintWarning(std::string_view warning);

// Rewrites the line on which the cursor of the terminal behind standard error stands; with an empty
// text, clears it.
void PrintStatus(std::string_view text);

// True once the reader of standard output, a pipe or a socket, is gone. Asks the system, so that
// work whose output nobody will read can end before it prints. Cost: one system call.
bool NobodyReadsOutput();

// The errno of a failed write to standard output; 0: all was written.
int OutputError();

}  // namespace halftone
