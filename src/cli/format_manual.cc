// Source of the macros: man(7), groff_man(7).
#include <fmt/format.h>

#include "src/cli/command_text.h"

namespace halftone {
namespace {

// Text that roff prints as it stands.
std::string Roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) {
      escaped += "\\&";
      escaped += c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Options(const CommandHelp& command, std::string_view path) {
  std::string text;
  for (const OptionHelp& option : command.options) {
    text += fmt::format(".TP\n.B {}{}\n{}{}\n", Roff(option.names),
                        option.value.empty() ? "" : " " + Roff(option.value),
                        option.required ? "Required. " : "", Roff(option.meaning));
  }
  for (const CommandHelp& inner : command.commands) {
    const std::string name = fmt::format("{} {}", path, inner.name);
    text += fmt::format(".SS {}\n{}\n{}", Roff(name), Roff(inner.meaning), Options(inner, name));
  }
  return text;
}

}  // namespace

std::string FormatManual(const CommandHelp& program, std::string_view version) {
  // "halftone finds ..." stands behind the name.
  const std::string name = program.name + " ";
  const std::string_view meaning = program.meaning;
  const std::string_view what = meaning.substr(meaning.starts_with(name) ? name.size() : 0);
  return fmt::format(
      ".TH HALFTONE 1 \"\" \"halftone {}\" \"User commands\"\n"
      ".SH NAME\nhalftone \\- {}\n"
      ".SH SYNOPSIS\n.B halftone\nCOMMAND [OPTIONS]\n"
      ".SH COMMANDS AND OPTIONS\n{}"
      ".SH EXIT STATUS\n{}\n",
      Roff(version), Roff(what), Options(program, program.name), Roff(program.footer));
}

}  // namespace halftone
