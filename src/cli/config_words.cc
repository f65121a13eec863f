#include "src/cli/config_words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/limits.h"
#include "src/base/printable.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kConfig = "--config";
constexpr std::uintmax_t kMostBytes = 1U << 20U;

// True for `--name` and `--name=value`.
bool IsOption(std::string_view word, std::string_view name) {
  return word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '=');
}

// Without the comment behind a value, # after a blank and outside quotes: CLI11 knows those of ;.
std::string_view WithoutComment(std::string_view line) {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return line.substr(0, i);
    }
  }
  return line;
}

std::string WithoutComments(std::string_view text) {
  std::string rest;
  for (const std::string_view line : Split(text, '\n')) {
    rest.append(WithoutComment(line)).append("\n");
  }
  return rest;
}

// Refuses names of many parts: CLI11 makes a copy of all parts for each of them.
void CheckNames(const std::string& text, const std::string& path) {
  std::size_t number = 0;
  for (const std::string_view line : Split(text, '\n')) {
    ++number;
    const auto dots = std::ranges::count(line.substr(0, line.find('=')), '.');
    if (dots >= static_cast<std::ptrdiff_t>(limits::kMostNameParts) &&
        !Trim(line).starts_with(';')) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("{}={}: line {}: expected the name of an option or of a command, found "
                      "one of {} parts",
                      kConfig, Printable(path), number, dots + 1));
    }
  }
}

std::vector<std::string> NamesOfCommands(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* known : command.get_parent()->get_subcommands({})) {
    names.push_back(known->get_name());
  }
  return names;
}

// Error kUsage: a section that is no command of halftone.
std::vector<CLI::ConfigItem> ItemsOf(const std::string& path, const CLI::App& command) {
  const std::string whole = WithoutComments(ReadSmallFile(path, kMostBytes));
  CheckNames(whole, path);
  std::istringstream text(whole);
  std::vector<CLI::ConfigItem> items = CLI::ConfigINI().from_config(text);
  const std::vector<std::string> commands = NamesOfCommands(command);
  for (const CLI::ConfigItem& item : items) {
    if (!item.parents.empty() &&
        (item.parents.size() > 1 || std::ranges::count(commands, item.parents.front()) == 0)) {
      const std::string section = Shown(Join(item.parents, "."));
      const std::vector<std::string> near = ClosestNames(section, commands);
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}={}: expected a command of halftone as section, found [{}]{}",
                              kConfig, path, section,
                              near.empty() ? "" : fmt::format("; did you mean [{}]?", near[0])));
    }
  }
  std::erase_if(items, [&](const CLI::ConfigItem& item) {
    // CLI11 marks the begin and end of a section with items of these names.
    return item.name == "++" || item.name == "--" ||
           (!item.parents.empty() && item.parents.front() != command.get_name());
  });
  return items;
}

// The words of one line; none for a flag that is false.
std::vector<std::string> WordsOf(const CLI::App& command, const CLI::ConfigItem& item,
                                 const std::string& path) {
  const std::string name = "--" + item.name;
  const CLI::Option* option = command.get_option_no_throw(name);
  if (option == nullptr || name == kConfig) {
    std::vector<std::string> names;
    for (const CLI::Option* known : command.get_options()) {
      names.push_back(known->get_name());
    }
    const std::vector<std::string> near = ClosestNames(name, names);
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}={}: '{}' is no option of halftone {}{}", kConfig, path, item.name,
                    command.get_name(),
                    near.empty() ? "" : fmt::format("; did you mean {}?", near.front().substr(2))));
  }
  if (option->get_items_expected_max() == 0) {
    const std::string value = item.inputs.empty() ? "true" : item.inputs.front();
    if (value != "true" && value != "false") {
      throw Error(ErrorKind::kUsage, fmt::format("{}={}: {} expects true or false, found '{}'",
                                                 kConfig, path, item.name, value));
    }
    return value == "true" ? std::vector{name} : std::vector<std::string>();
  }
  std::vector<std::string> words;
  for (const std::string& value : item.inputs) {
    words.push_back(fmt::format("{}={}", name, value));
  }
  return words;
}

}  // namespace

std::vector<std::string> ExpandConfig(const CLI::App& command,
                                      const std::vector<std::string>& words) {
  std::vector<std::string> rest;
  std::string path;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!IsOption(words[i], kConfig)) {
      rest.push_back(words[i]);
      continue;
    }
    const bool joined = words[i].size() > kConfig.size();
    if (!path.empty() || (!joined && i + 1 == words.size())) {
      throw Error(ErrorKind::kUsage, fmt::format("{} expects one file, found {}", kConfig,
                                                 path.empty() ? "none" : "several"));
    }
    path = joined ? words[i].substr(kConfig.size() + 1) : words[++i];
  }
  if (path.empty()) {
    return rest;
  }
  std::vector<std::string> of_file;
  for (const CLI::ConfigItem& item : ItemsOf(path, command)) {
    const std::vector<std::string> more = WordsOf(command, item, path);
    const bool typed = std::ranges::any_of(
        rest, [&](const std::string& word) { return IsOption(word, "--" + item.name); });
    if (!typed) {
      of_file.insert(of_file.end(), more.begin(), more.end());
    }
  }
  rest.insert(rest.begin() + std::min<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(rest.size())),
              of_file.begin(), of_file.end());
  return rest;
}

}  // namespace halftone
