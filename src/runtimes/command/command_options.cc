#include "src/runtimes/command/command_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <system_error>

#include "src/base/error.h"
#include "src/base/limits.h"
#include "src/base/shell_words.h"
#include "src/base/text.h"
#include "src/runtimes/command/command_text.h"

namespace halftone {
namespace {

constexpr std::string_view kOption = "--measure=command";

// Absolute path of a file that the user names relative to the current folder, since the command
// starts in another one. The first word is looked up in PATH unless it has a slash.
std::string FromWorkFolder(const std::string& word, bool is_program) {
  std::error_code code;
  const bool is_file = (!is_program || word.find('/') != std::string::npos) &&
                       word.find('{') == std::string::npos &&
                       std::filesystem::is_regular_file(word, code);
  return is_file ? std::filesystem::absolute(word).string() : word;
}

}  // namespace

CommandOptions ParseCommandOptions(std::string_view command, std::string_view format,
                                   double timeout_s, std::string_view form) {
  CommandOptions options;
  options.text = command;
  options.words = WithContext([] { return kOption; }, [&] { return PosixWords(command); });
  if (options.words.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: expected a program and its arguments, as in "
                                               "'command:sh measure.sh {{model}}'",
                                               kOption));
  }
  for (std::string& word : options.words) {
    FillPlaceholders(word, {}, kOption);
    word = FromWorkFolder(word, &word == options.words.data());
  }
  options.format_text = format;
  options.format = ParseResultFormat(format);
  if (options.format.row->argument == FormatArgument::kFile) {
    FillPlaceholders(options.format.argument, {}, "--measure_format");
  }
  RequireNumber("--measure_timeout", timeout_s, limits::kPositiveSecondsRange);
  options.timeout_s = timeout_s;
  const auto known = ValueIn(kSampleForms, form);
  if (!known) {
    throw Error(ErrorKind::kUsage, fmt::format("--measure_inputs: expected {}, got '{}'",
                                               NamesIn(kSampleForms), Shown(form)));
  }
  options.form = *known;
  return options;
}

}  // namespace halftone
