#include "src/runtimes/command/run_command.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/file_lock.h"
#include "src/base/remove_below.h"
#include "src/base/run_program.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::size_t kMostOutput = std::size_t{1} << 20;  // in which results are looked for
constexpr std::size_t kMostLog = std::size_t{64} << 10;    // of each stream
constexpr std::uintmax_t kMostResult = std::uintmax_t{64} << 20;
constexpr std::size_t kMostQuoted = 400;  // characters of a runtime's own words
constexpr int kInvalidExit = 3;
constexpr auto kLockWait = std::chrono::milliseconds(100);

// Words of a runtime, whose errors are long.
std::string Quoted(std::string_view text) {
  return text.size() <= kMostQuoted ? Printable(text)
                                    : Printable(text.substr(0, kMostQuoted)) + "...";
}

std::string_view LastLine(std::string_view text) {
  const std::string_view trimmed = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  const std::size_t line_break = trimmed.rfind('\n');
  return Trim(line_break == std::string_view::npos ? trimmed : trimmed.substr(line_break + 1));
}

// Last line of what a command printed, of standard error before standard output.
std::string LastWords(const ProgramResult& result) {
  const std::string_view line =
      LastLine(result.err).empty() ? LastLine(result.out) : LastLine(result.err);
  return line.empty() ? "it printed nothing" : fmt::format("'{}'", Quoted(line));
}

std::string_view EndOf(std::string_view text) {
  return text.substr(text.size() - std::min(text.size(), kMostLog));
}

[[noreturn]] void ThrowStopped() {
  throw StoppedByUser("--measure=command: stopped while the command ran");
}

void CheckStop(const CommandOptions& options) {
  if (options.stop_requested && options.stop_requested()) {
    ThrowStopped();
  }
}

std::unique_ptr<FileLock> Lock(const CommandOptions& options, const CommandCall& call) {
  std::unique_ptr<FileLock> lock;
  while (!call.lock.empty() && !lock) {
    try {
      lock = std::make_unique<FileLock>(call.lock);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage) {
        throw;
      }
      CheckStop(options);
      std::this_thread::sleep_for(kLockWait);
    }
  }
  return lock;
}

// Path of the file with the result; empty: standard output has it.
std::filesystem::path ResultPath(const CommandOptions& options, const CommandCall& call) {
  if (options.format.row->argument != FormatArgument::kFile) {
    const std::filesystem::path path = call[Placeholder::kResult];
    const bool is_taken = options.format.row == ResultFormats().data();
    std::error_code code;
    return is_taken && std::filesystem::exists(path, code) ? path : std::filesystem::path();
  }
  // Relative to the folder of the command.
  return std::filesystem::path(call[Placeholder::kWork]) /
         FillPlaceholders(options.format.argument, call.values, "--measure_format");
}

CommandAnswer ReadAnswer(const CommandOptions& options, const CommandCall& call,
                         const std::string& out) {
  const ResultFormatRow& row = *options.format.row;
  const std::filesystem::path path = ResultPath(options, call);
  if (path.empty()) {
    return row.parse(out, options.format.argument, "standard output");
  }
  const std::string text = ReadSmallFile(path, kMostResult);
  return row.argument == FormatArgument::kFile
             ? row.parse(text, options.format.argument, path.filename().string())
             : ParseCommandAnswer(text, "{result}");
}

struct Outcome {
  CommandStatus status = CommandStatus::kOk;
  bool timed_out = false;
  bool of_files = false;  // CommandTrouble::of_files
  std::string reason;
  CommandRun run;
};

Outcome Invalid(std::string reason) {
  return {.status = CommandStatus::kInvalid, .reason = std::move(reason)};
}

Outcome Failed(std::string reason) {
  return {.status = CommandStatus::kError, .reason = std::move(reason)};
}

// Of a command that ended with exit status 0.
Outcome AnswerOutcome(const CommandOptions& options, const CommandCall& call,
                      const ProgramResult& result) {
  try {
    Outcome outcome;
    outcome.run = {.answer = ReadAnswer(options, call, result.out), .wall_s = result.seconds};
    const CommandAnswer& answer = outcome.run.answer;
    outcome.status = answer.status;
    outcome.reason = answer.message.empty() ? LastWords(result) : Quoted(answer.message);
    return outcome;
  } catch (const Error& error) {
    Outcome outcome = Failed(fmt::format("{}; the last line that the command printed: {}",
                                         error.what(), LastWords(result)));
    outcome.of_files = true;
    return outcome;
  }
}

// Message of an answer that came with exit status 3, else the last words.
std::string InvalidReason(const CommandOptions& options, const CommandCall& call,
                          const ProgramResult& result) {
  if (options.format.row == ResultFormats().data()) {
    try {
      const CommandAnswer answer = ReadAnswer(options, call, result.out);
      if (!answer.message.empty()) {
        return Quoted(answer.message);
      }
    } catch (const Error&) {  // there is no answer, and none is needed
    }
  }
  return LastWords(result);
}

void WriteLog(const CommandCall& call, const ProgramResult& result) {
  if (!call.log.empty()) {
    WriteFileAtomically(call.log, fmt::format("standard output:\n{}\nstandard error:\n{}\n",
                                              EndOf(result.out), EndOf(result.err)));
  }
}

// Where a tool writes its result, and the folder below which what lies there is deleted.
struct ResultPlace {
  std::filesystem::path folder;
  std::filesystem::path path;
};

// Error kUsage: it lies elsewhere, by a link.
ResultPlace PlaceOfTool(const CommandOptions& options, const CommandCall& call) {
  const std::filesystem::path path = ResultPath(options, call);
  for (const Placeholder placeholder : {Placeholder::kWork, Placeholder::kOutputs}) {
    if (LiesBelow(call[placeholder], path)) {
      return {call[placeholder], path};
    }
  }
  if (path == call[Placeholder::kResult]) {
    return {path.parent_path(), path};
  }
  ThrowResultPlace(options.format.argument, path.string());
}

// Removes what an earlier call left. Why it stays, where nobody may delete it; empty: it is gone.
std::string RemoveEarlier(const CommandOptions& options, const CommandCall& call) {
  std::vector<ResultPlace> places;
  for (const Placeholder placeholder : {Placeholder::kOutputs, Placeholder::kResult}) {
    const std::filesystem::path path = call[placeholder];
    places.push_back({path.parent_path(), path});
  }
  if (options.format.row->argument == FormatArgument::kFile) {
    ResultPlace place = PlaceOfTool(options, call);
    std::error_code code;  // never a folder, which the user may have named by mistake
    if (!std::filesystem::is_directory(place.path, code)) {
      places.push_back(std::move(place));
    }
  }
  for (const auto& [folder, path] : places) {
    if (const std::error_code code = RemoveBelow(folder, path)) {
      return fmt::format("cannot remove '{}' of an earlier call: {}", path.string(),
                         code.message());
    }
  }
  return "";
}

Outcome CallOnce(const CommandOptions& options, const CommandCall& call) {
  CheckStop(options);
  const std::unique_ptr<FileLock> lock = Lock(options, call);
  CreateFolder(call[Placeholder::kWork]);
  if (std::string left = RemoveEarlier(options, call); !left.empty()) {
    Outcome outcome = Failed(std::move(left));
    outcome.of_files = true;
    return outcome;
  }
  CreateFolder(call[Placeholder::kOutputs]);
  std::vector<std::string> words;
  for (const std::string& word : options.words) {
    words.push_back(FillPlaceholders(word, call.values, "--measure=command"));
  }
  const ProgramResult result =
      WithContext([] { return "--measure=command"; },
                  [&] {
                    return RunProgram(words, {.timeout_s = options.timeout_s,
                                              .grace_s = options.grace_s,
                                              .environment = EnvironmentOf(call.values),
                                              .folder = call[Placeholder::kWork],
                                              .most_bytes = kMostOutput,
                                              .keep_end = true,
                                              .stop_requested = options.stop_requested});
                  });
  WriteLog(call, result);
  if (result.stopped) {
    ThrowStopped();
  }
  if (result.timed_out) {
    Outcome outcome = Invalid(fmt::format(
        "timeout: the command took longer than {:g} s (--measure_timeout)", options.timeout_s));
    outcome.timed_out = true;
    return outcome;
  }
  if (result.signal != 0) {
    return Failed(
        fmt::format("the command ended with signal {}: {}", result.signal, LastWords(result)));
  }
  if (result.exit_code == kInvalidExit && options.format.row->tells_invalid) {
    return Invalid(InvalidReason(options, call, result));
  }
  if (result.exit_code != 0) {
    return Failed(fmt::format("the command ended with exit status {}: {}", result.exit_code,
                              LastWords(result)));
  }
  return AnswerOutcome(options, call, result);
}

}  // namespace

std::variant<CommandRun, Rejection, CommandTrouble> RunCommand(const CommandOptions& options,
                                                               const CommandCall& call) {
  const int most_timeouts = call.repeat ? 2 : 1;
  const int most_errors = call.repeat ? kMostErrors : 1;
  for (int timeouts = 0, errors = 0; true;) {
    Outcome outcome = CallOnce(options, call);
    if (outcome.status == CommandStatus::kOk) {
      return std::move(outcome.run);
    }
    if (outcome.status == CommandStatus::kInvalid &&
        (!outcome.timed_out || ++timeouts == most_timeouts)) {
      return Rejection{std::move(outcome.reason)};
    }
    if (outcome.status == CommandStatus::kError && ++errors == most_errors) {
      return CommandTrouble{.reason = std::move(outcome.reason), .of_files = outcome.of_files};
    }
  }
}

}  // namespace halftone
