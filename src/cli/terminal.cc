#include "src/cli/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "src/base/file_descriptor.h"
#include "src/base/numbers.h"
#include "src/base/text_table.h"
#include "src/cli/wrap_lines.h"

namespace halftone {
namespace {

// The errno of the first write that failed, by descriptor. Progress is printed by the thread that
// searches.
std::atomic<int> first_error[3] = {0, 0, 0};

std::atomic<Verbosity> current_verbosity = Verbosity::kNormal;

void Write(int descriptor, std::string_view text) {
  if (first_error[descriptor] == 0) {
    first_error[descriptor] = WriteAll(descriptor, text);
  }
}

// Lines of a terminal are broken between words; files and pipes get them as they are.
void WriteLines(int descriptor, const std::string& text) {
  Write(descriptor, ::isatty(descriptor) == 1 ? WrappedLines(text, TerminalColumns()) : text);
}

bool IsPipe(int descriptor) {
  struct stat status = {};
  return ::fstat(descriptor, &status) == 0 &&
         (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

}  // namespace

void PrepareStandardStreams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  while (true) {
    int descriptor = ::open("/dev/null", O_RDWR);
    if (descriptor < 0) {
      descriptor = ::open("/", O_PATH);  // takes the number too; writing to it is an error
    }
    if (descriptor < 0 || descriptor > STDERR_FILENO) {
      ::close(descriptor);
      return;
    }
  }
}

void PrintLine(std::string_view line) {
  std::string text;
  AddLine(text, line);
  WriteLines(STDOUT_FILENO, text);
}

void PrintText(std::string_view text, Colors colors) {
  WriteLines(STDOUT_FILENO, PrintableLines(text, colors));
}

void PrintErrorLine(std::string_view line) {
  std::string text;
  AddLine(text, line);
  WriteLines(STDERR_FILENO, text);
}

void SetVerbosity(Verbosity verbosity) {
  current_verbosity = verbosity;
}

Verbosity CurrentVerbosity() {
  return current_verbosity;
}

namespace {

// Columns of the terminal, or of the variable COLUMNS; empty: neither says.
std::optional<std::size_t> KnownColumns() {
  constexpr std::size_t kFewest = 60;
  winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return std::max<std::size_t>(size.ws_col, kFewest);
  }
  const char* const columns = std::getenv("COLUMNS");
  const auto asked = NumberIn(columns == nullptr ? "" : columns, WholeRange{1, UINT16_MAX});
  return asked ? std::optional(std::max(static_cast<std::size_t>(*asked), kFewest)) : std::nullopt;
}

}  // namespace

std::size_t TerminalColumns() {
  return KnownColumns().value_or(kColumnsOfFiles);
}

std::size_t ListColumns() {
  constexpr std::size_t kAnyWidth = 1 << 20;
  return KnownColumns().value_or(kAnyWidth);
}

bool OutputIsTerminal() {
  return ::isatty(STDOUT_FILENO) == 1;
}

void PrintNote(std::string_view note) {
  if (CurrentVerbosity() == Verbosity::kQuiet) {
    return;
  }
  PrintErrorLine(std::string("note: ").append(note));
}

void PrintWarning(std::string_view warning) {
  PrintErrorLine(std::string("warning: ").append(warning));
}

void PrintStatus(std::string_view text) {
  Write(STDERR_FILENO, "\r\x1b[K" + Printable(text));
}

bool NobodyReadsOutput() {
  if (first_error[STDOUT_FILENO] == 0) {
    pollfd output = {STDOUT_FILENO, 0, 0};
    if (::poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0 &&
        IsPipe(STDOUT_FILENO)) {
      first_error[STDOUT_FILENO] = EPIPE;
    }
  }
  return first_error[STDOUT_FILENO] == EPIPE;
}

int OutputError() {
  return first_error[STDOUT_FILENO];
}

}  // namespace halftone
