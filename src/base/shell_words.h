// Words in shell syntax: how arguments.txt and command lines in reports are written, and how an
// option set is read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// `word` as it is pasted into a shell: quoted where a character of it means something there
// ("sqnr_db<40", blanks, an empty word). ShellWords() reads it back, whatever its bytes but NUL.
std::string ShellWord(std::string_view word);

// ShellWord() for "--name=value", with only the value quoted.
std::string ShellArgument(std::string_view argument);

// Words between blanks, tabs and line breaks; quotes of either kind group, and are dropped. Nothing
// else means anything: a backslash is a character, as in names of nodes. Error kUsage: a quote that
// is not closed.
std::vector<std::string> ShellWords(std::string_view text);

// Words by the quoting rules of POSIX (Shell Command Language, 2.2): outside of quotes a backslash
// keeps the next character; in double quotes it does so before $, `, ", \ and a line break, which
// is removed; in single quotes it is a character. Nothing is expanded. Error kUsage: a quote that
// is not closed, or a backslash at the end.
std::vector<std::string> PosixWords(std::string_view text);

}  // namespace halftone
