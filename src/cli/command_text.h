// Texts about the commands and their options: one table, made from the parser's own, from which
// help, manual page and completions are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace halftone {

struct OptionHelp {
  std::string names;    // "-h,--help", "--model"
  std::string value;    // "TEXT", "INT=0", "TEXT=host"; empty: a flag
  std::string meaning;  // one paragraph
  std::string group;    // heading
  bool required = false;
  bool common = false;  // among the first that a user looks for

  // "--model": the last of the names.
  [[nodiscard]] std::string_view long_name() const;
};

struct CommandHelp {
  std::string name;  // "tune"
  std::string meaning;
  std::string footer;
  std::vector<OptionHelp> options;
  std::vector<CommandHelp> commands;
};

// Options in the order of their groups.
CommandHelp DescribeCommand(const CLI::App& command);

// `text` with line breaks in place of blanks so that no line is longer than `columns`, unless one
// word is.
std::string Wrap(std::string_view text, std::size_t columns);

// The help of a command, whose whole name is `path` ("halftone bank list"), in lines of `columns`.
// All options in groups, or, where a command has more than ten, the common ones and how to see the
// rest.
std::string FormatHelp(const CommandHelp& command, std::string_view path, bool all,
                       std::size_t columns);

// The manual page of the program, in roff for man(1). `version`: "0.1.0".
std::string FormatManual(const CommandHelp& program, std::string_view version);

// A script for the shell: "bash" or "zsh". Error kUsage for another.
std::string FormatCompletion(const CommandHelp& program, std::string_view shell);

}  // namespace halftone
