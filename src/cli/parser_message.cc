#include "src/cli/parser_message.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "src/base/text.h"

namespace halftone {
namespace {

// The command to which the words belong, with its name: `bank list` is a command inside a command.
struct NamedCommand {
  const CLI::App* app;
  std::string name;
};

NamedCommand InnermostCommand(const CLI::App& command) {
  NamedCommand inner{&command, command.get_name()};
  while (!inner.app->get_subcommands().empty()) {
    inner.app = inner.app->get_subcommands().front();
    inner.name += " " + inner.app->get_name();
  }
  return inner;
}

// Expected type of a value, in place of "Could not convert".
std::string MessageOfConversion(const CLI::App& command, const std::string& theirs) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (theirs.find(fmt::format(" {} = ", name)) == std::string::npos) {
      continue;
    }
    const std::string type = option->get_type_name();
    const bool is_flag = option->get_items_expected_max() == 0;
    const char* expected = is_flag                     ? "true or false"
                           : type.starts_with("FLOAT") ? "a number"
                                                       : "a whole number";
    return fmt::format("{} expects {}, found '{}'", name, expected, Join(option->results(), " "));
  }
  return theirs;
}

// In place of "--node: At Most 1 required but received 2".
std::string MessageOfCount(const CLI::App& command, const std::string& theirs) {
  constexpr std::string_view kReceived = "required but received ";
  const std::size_t received = theirs.find(kReceived);
  const std::string name = theirs.substr(0, theirs.find(':'));
  const CLI::Option* option = command.get_option_no_throw(name);
  if (option == nullptr || received == std::string::npos) {
    return theirs;
  }
  const std::string found = theirs.substr(received + kReceived.size());
  return option->get_items_expected_max() == 1
             ? fmt::format("{} is given {} times, expected once", name, found)
             : fmt::format("{} expects {} values, found {}", name, option->get_items_expected_min(),
                           found);
}

// In place of "The following argument was not expected: --label=x".
std::string MessageOfExtras(const NamedCommand& command, const std::string& theirs) {
  const std::size_t colon = theirs.find(": ");
  const std::string word = colon == std::string::npos
                               ? ""
                               : theirs.substr(colon + 2, theirs.find(' ', colon + 2) - colon - 2);
  if (!word.starts_with('-')) {
    return theirs;
  }
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* option : command.app->get_options()) {
    names.push_back(option->get_name());
  }
  const std::vector<std::string> near = ClosestNames(name, names);
  return fmt::format("{} is no option of halftone {}{}", name, command.name,
                     near.empty() ? "" : fmt::format("; did you mean {}?", near.front()));
}

}  // namespace

std::string ParserMessage(const CLI::App& command, const CLI::ParseError& error) {
  const NamedCommand inner = InnermostCommand(command);
  std::string theirs = error.what();
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    return MessageOfConversion(*inner.app, theirs);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return MessageOfCount(*inner.app, theirs);
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    return MessageOfExtras(inner, theirs);
  }
  const auto commands = inner.app->get_subcommands([](const CLI::App*) { return true; });
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !commands.empty()) {
    std::vector<std::string> names;
    names.reserve(commands.size());
    for (const CLI::App* each : commands) {
      names.push_back(each->get_name());
    }
    return fmt::format("expected a command behind halftone {}: {}", inner.name, Join(names, ", "));
  }
  // A mistyped option is told before a required one that is missing: it may be that one.
  const std::vector<std::string> unknown = inner.app->remaining();
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !unknown.empty() &&
      unknown.front().starts_with('-')) {
    return MessageOfExtras(inner, ": " + unknown.front());
  }
  return theirs;
}

}  // namespace halftone
