#include "src/cli/prepare_words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/cli/config_words.h"

namespace halftone {
namespace {

constexpr std::string_view kDiff = "--diff";
constexpr std::size_t kOptionSets = 2;
// The option that must have a value: without one, another plan than the point's would run.
constexpr std::string_view kPoint = "--point";

std::string NamesOf(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const CLI::App* command : commands) {
    names.push_back(command->get_name());
  }
  return Join(names, ", ");
}

bool TakesOneValue(const CLI::App& command, const std::string& name) {
  const CLI::Option* option = command.get_option_no_throw(name);
  return option != nullptr && option->get_items_expected_max() == 1;
}

// True for `--name=` or `--name ""` at word i, which is to be left out. Error kUsage for kPoint.
bool IsUnset(const CLI::App& command, const std::vector<std::string>& words, std::size_t i) {
  const std::string& word = words[i];
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const bool no_value = equals == std::string::npos ? i + 1 < words.size() && words[i + 1].empty()
                                                    : equals + 1 == word.size();
  if (!no_value || !TakesOneValue(command, name)) {
    return false;
  }
  if (name == kPoint) {
    throw Error(ErrorKind::kUsage,
                "--point has no value; expected the folder of a point; leave the option out to use "
                "none");
  }
  return true;
}

}  // namespace

void RequireKnownCommand(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    const auto inner = command->get_subcommands([](const CLI::App*) { return true; });
    if (inner.empty() || word.starts_with('-')) {
      return;
    }
    const auto named = std::find_if(inner.begin(), inner.end(), [&](const CLI::App* candidate) {
      return candidate->get_name() == word;
    });
    if (named == inner.end()) {
      const std::string path = command == &app ? "" : command->get_name() + " ";
      throw Error(
          ErrorKind::kUsage,
          fmt::format("unknown command '{}{}'; expected a command: {}; see halftone {}--help", path,
                      word, NamesOf(inner), path));
    }
    command = *named;
  }
}

std::vector<std::string> PrepareWords(const CLI::App& app, const std::vector<std::string>& words) {
  const auto named = app.get_subcommands([&](const CLI::App* command) {
    return !words.empty() && command->get_name() == words.front();
  });
  if (named.empty()) {
    return words;
  }
  const CLI::App& command = *named.front();
  const std::vector<std::string> given =
      command.get_option_no_throw("--config") != nullptr ? ExpandConfig(command, words) : words;
  std::vector<std::string> kept;
  std::size_t sets_to_come = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& word = given[i];
    if (sets_to_come > 0) {
      --sets_to_come;
      kept.push_back(word.substr(std::min(word.find_first_not_of('-'), word.size())));
      continue;
    }
    if (word.starts_with("--") && word.size() > 2 && IsUnset(command, given, i)) {
      i += word.ends_with('=') ? 0 : 1;
      continue;
    }
    sets_to_come = word == kDiff ? kOptionSets : 0;
    kept.push_back(word);
  }
  return kept;
}

}  // namespace halftone
