// Words in the syntax of a shell, for arguments.txt, for command lines in reports, and for texts of
// options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// Returns `word` ready to be pasted into a shell. It is quoted if it is empty or has a character
// with a meaning for shells, as in "sqnr_db<40". ShellWords() gives back any word without a NUL
// byte.
std::string ShellWord(std::string_view word);

// Returns "--name=value" with the value as in ShellWord(); an empty value is not quoted.
std::string ShellArgument(std::string_view argument);

// Splits a text into words at blanks, tabs and line breaks. Single or double quotes hold a word
// together and are dropped. Other characters have no meaning; a backslash is a character, because
// names of nodes may have one. Error kUsage: a quote that is not closed.
std::vector<std::string> ShellWords(std::string_view text);

// Splits a text into words by the quoting rules of POSIX (Shell Command Language, 2.2). Outside of
// quotes, a backslash quotes the next character. In double quotes it does so only before $, `, ",
// another backslash and a line break. In single quotes it is a character. A backslash and a line
// break are removed together. Nothing is expanded. Error kUsage: a quote that is not closed, or a
// backslash at the end.
std::vector<std::string> PosixWords(std::string_view text);

}  // namespace halftone
