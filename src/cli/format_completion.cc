// Completion scripts. Source: bash(1), "Programmable Completion"; zsh: bashcompinit(1) of
// zshcompsys, which runs the same function.
#include <fmt/format.h>

#include "src/base/error.h"
#include "src/cli/command_text.h"

namespace halftone {
namespace {

// "--model= --quiet": options with a value end in =.
std::string Words(const CommandHelp& command) {
  std::string words;
  for (const OptionHelp& option : command.options) {
    if (!option.names.starts_with('-')) {
      continue;  // an argument, which is a file
    }
    words += fmt::format("{}{}{}", words.empty() ? "" : " ", option.long_name(),
                         option.value.empty() ? "" : "=");
  }
  for (const CommandHelp& inner : command.commands) {
    words += fmt::format("{}{}", words.empty() ? "" : " ", inner.name);
  }
  return words;
}

// A line of the case statement for the command and each command in it.
std::string Cases(const CommandHelp& command, const std::string& path) {
  std::string cases = fmt::format("    '{}') words='{}' ;;\n", path, Words(command));
  for (const CommandHelp& inner : command.commands) {
    cases += Cases(inner, path.empty() ? inner.name : path + " " + inner.name);
  }
  return cases;
}

// The part of the case statement that tells which words are commands of commands.
std::string Parents(const CommandHelp& program) {
  std::string parents;
  for (const CommandHelp& command : program.commands) {
    if (!command.commands.empty()) {
      parents += (parents.empty() ? "" : "|") + command.name;
    }
  }
  return parents;
}

}  // namespace

std::string FormatCompletion(const CommandHelp& program, std::string_view shell) {
  if (shell != "bash" && shell != "zsh") {
    throw Error(ErrorKind::kUsage,
                fmt::format("completion: expected bash or zsh, found '{}'", shell));
  }
  return fmt::format(
      "# Completion of halftone for {0}. Use it with: source <(halftone completion {0})\n"
      "{1}"
      "_halftone() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  local command=${{COMP_WORDS[1]}} words=\n"
      "  if ((COMP_CWORD < 2)); then command=; fi\n"
      "  case $command in\n"
      "    {2}) if ((COMP_CWORD > 2)); then command+=\" ${{COMP_WORDS[2]}}\"; fi ;;\n"
      "  esac\n"
      "  COMPREPLY=()\n"
      "  if [[ $current == = || $before == = ]]; then\n"
      "    # A value: a file.\n"
      "    [[ $current == = ]] && current=\n"
      "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case $command in\n"
      "{3}"
      "    *) return ;;\n"
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  [[ ${{#COMPREPLY[@]}} == 1 && ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace "
      "2>/dev/null\n"
      "}}\n"
      "complete -F _halftone halftone\n",
      shell, shell == "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "",
      Parents(program), Cases(program, ""));
}

}  // namespace halftone
