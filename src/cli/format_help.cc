#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.h"
#include "src/cli/command_text.h"

namespace halftone {
namespace {

constexpr std::size_t kNameColumns = 30;
constexpr std::size_t kMostAtOnce = 10;  // options that are shown without a choice

// "  --model TEXT REQUIRED       ONNX file, ...", with the rest of the text below its begin.
std::string Line(std::string_view name, std::string_view meaning, std::size_t columns) {
  std::string line = fmt::format("  {}", name);
  const std::size_t room = columns > 2 * kNameColumns ? columns - kNameColumns : kNameColumns;
  if (line.size() + 1 >= kNameColumns) {
    line += '\n';
    line.append(kNameColumns, ' ');
  } else {
    line.append(kNameColumns - line.size(), ' ');
  }
  for (const char c : Wrap(meaning, room)) {
    line += c;
    if (c == '\n') {
      line.append(kNameColumns, ' ');
    }
  }
  return line + "\n";
}

std::string Line(const OptionHelp& option, std::size_t columns) {
  return Line(fmt::format("{}{}{}{}", option.names, option.value.empty() ? "" : " ", option.value,
                          option.required ? " REQUIRED" : ""),
              option.meaning, columns);
}

// Keeps the line breaks of the text.
std::string WrapLines(std::string_view text, std::size_t columns) {
  std::string wrapped;
  for (const std::string_view line : Split(text, '\n')) {
    wrapped += Wrap(line, columns) + "\n";
  }
  return wrapped;
}

}  // namespace

std::string Wrap(std::string_view text, std::size_t columns) {
  std::string wrapped;
  std::size_t column = 0;
  for (const std::string_view word : Split(text, ' ')) {
    if (column > 0 && column + 1 + word.size() > columns) {
      wrapped += '\n';
      column = 0;
    } else if (column > 0) {
      wrapped += ' ';
      ++column;
    }
    wrapped += word;
    column += word.size();
  }
  return wrapped;
}

std::string FormatHelp(const CommandHelp& command, std::string_view path, bool all,
                       std::size_t columns) {
  std::string text = Wrap(command.meaning, columns) + "\n";
  text += fmt::format("Usage: {} [OPTIONS]{}\n", path, command.commands.empty() ? "" : " COMMAND");
  const bool few = command.options.size() <= kMostAtOnce;
  const bool shows_all = all || few;
  std::string_view heading;
  std::size_t hidden = 0;
  for (const OptionHelp& option : command.options) {
    if (!shows_all && !option.common) {
      ++hidden;
      continue;
    }
    std::string_view group = option.group;
    if (few || !shows_all) {
      group = few ? "Options" : "Common options";
    }
    if (group != heading) {
      text += fmt::format("\n{}:\n", group);
      heading = group;
    }
    text += Line(option, columns);
  }
  if (hidden > 0) {
    text += fmt::format("\n{} more options: {} --help-all\n", hidden, path);
  }
  if (!command.commands.empty()) {
    text += "\nSubcommands:\n";
    for (const CommandHelp& inner : command.commands) {
      text += Line(inner.name, inner.meaning, columns);
    }
  }
  return command.footer.empty() ? text : text + "\n" + WrapLines(command.footer, columns);
}

}  // namespace halftone
