// Option sets as one text, read for `explain --diff` and written for `explain --output`.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/precision/plan_writer.h"
#include "src/precision/resolve.h"
#include "src/precision/write_files.h"

namespace halftone {
namespace {

constexpr std::string_view kArgumentsFile = "arguments.txt";  // as `tune` writes it

// Words between blanks; quotes of either kind group, and are dropped.
std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0 ? c == quote : (c == '\'' || c == '"')) {
      quote = quote != 0 ? '\0' : c;
      inside = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      if (inside) {
        words.push_back(std::move(word));
      }
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (quote != 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("expected a closing {} in the option set '{}'", quote, text));
  }
  if (inside) {
    words.push_back(std::move(word));
  }
  return words;
}

const PrecisionOptionRow& RowOf(std::string_view name, std::string_view word) {
  std::vector<std::string> names;
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    if (row.name == name) {
      return row;
    }
    names.emplace_back(row.name);
  }
  const auto near = ClosestNames(name, names);
  throw Error(ErrorKind::kUsage,
              fmt::format("expected precision options in the option set, found '{}'{}", word,
                          near.empty() ? "" : fmt::format("; did you mean --{}?", near.front())));
}

// "--name=value" or "--name value", as on the command line; the dashes may be left out.
PrecisionArguments ArgumentsOf(const std::vector<std::string>& words,
                               const std::filesystem::path& folder) {
  PrecisionArguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const PrecisionOptionRow& row = RowOf(name.starts_with("--") ? name.substr(2) : name, word);
    if (equals == std::string::npos && i + 1 == words.size()) {
      throw Error(ErrorKind::kUsage, fmt::format("expected a value after '{}'", word));
    }
    std::string value = equals == std::string::npos ? words[++i] : word.substr(equals + 1);
    if (row.is_file() && !value.empty() && std::filesystem::path(value).is_relative()) {
      value = (folder / value).string();
    }
    arguments.*row.argument = std::move(value);
  }
  return arguments;
}

}  // namespace

LoadedPrecision LoadOptionSet(const std::string& text) {
  std::error_code error;
  if (std::filesystem::is_directory(text, error)) {
    const std::filesystem::path file = std::filesystem::path(text) / kArgumentsFile;
    return LoadPrecision(ArgumentsOf(WordsOf(ReadFile(file)), text));
  }
  if (!text.starts_with("-") && std::filesystem::is_regular_file(text, error)) {
    return LoadPrecision(
        ArgumentsOf(WordsOf(ReadFile(text)), std::filesystem::path(text).parent_path()));
  }
  return LoadPrecision(ArgumentsOf(WordsOf(text), {}));
}

WrittenOptions WriteSmallestOptions(const Model& model, const TargetSpec& target,
                                    const PrecisionOptions& options,
                                    const std::filesystem::path& folder,
                                    bool unknown_names_are_warnings) {
  const PrecisionPlan plan = ResolvePrecision(
      model.graph, options, target, {.unknown_names_are_warnings = unknown_names_are_warnings});
  WrittenConfiguration written = ConfigurationFor(model.graph, plan, target);
  const OptionFiles files = WriteOptionFiles(written.options);
  CreateFolder(folder);
  std::string lines;
  for (const std::string& argument : files.arguments) {
    // Values with blanks or semicolons must come back as one word, here and in a shell.
    const std::size_t equals = argument.find('=');
    const bool plain = argument.find_first_of(" ;") == std::string::npos;
    lines += plain ? argument + "\n"
                   : fmt::format("{}'{}'\n", argument.substr(0, equals + 1),
                                 argument.substr(equals + 1));
  }
  for (const std::string_view name : OptionFileNames()) {
    std::error_code error;
    std::filesystem::remove(folder / name, error);  // of an earlier run
  }
  for (const auto& [name, content] : files.files) {
    WriteFileAtomically(folder / name, content);
  }
  WriteFileAtomically(folder / kArgumentsFile, lines);
  return {files.arguments, written.size, std::move(written.notes)};
}

}  // namespace halftone
