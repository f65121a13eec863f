// Descriptions of the commands and their options, taken from the parser. Help, manual page and
// completions are made from them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/cli/parser_classes.h"

namespace halftone {

struct OptionHelp {
  std::string names;    // "-h,--help", "--model"
  std::string value;    // "TEXT", "INT=0", "TEXT=host"; empty: a flag
  std::string meaning;  // one paragraph
  std::string group;    // heading in the help
  bool required = false;
  bool common = false;  // true: most users of the command need it

  // Last one of the names: "--model".
  [[nodiscard]] std::string_view long_name() const;
};

struct CommandHelp {
  std::string name;  // "tune"
  std::string meaning;
  std::string footer;
  std::vector<OptionHelp> options;
  std::vector<CommandHelp> commands;
};

// Describes a command with its subcommands. The options are in the order of their groups.
CommandHelp DescribeCommand(const CLI::App& command);

// Replaces blanks in the text by line breaks so that no line is longer than `columns`, unless a
// word is.
std::string Wrap(std::string_view text, std::size_t columns);

// Help of a command in lines of `columns`. `path`: its full name, "halftone bank list". A command
// with more than ten options lists only the common ones unless `all` is true.
std::string FormatHelp(const CommandHelp& command, std::string_view path, bool all,
                       std::size_t columns);

// Manual page of the program in roff, for man(1). `version`: "0.1.0".
std::string FormatManual(const CommandHelp& program, std::string_view version);

// Completion script of a shell, "bash" or "zsh". Error kUsage for another shell.
std::string FormatCompletion(const CommandHelp& program, std::string_view shell);

}  // namespace halftone
