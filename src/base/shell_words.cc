#include "src/base/shell_words.h"

#include <fmt/format.h>

#include <cstdint>

#include "src/base/error.h"
#include "src/base/printable.h"

namespace halftone {
namespace {

enum class Backslash : std::uint8_t { kCharacter, kQuote };

// `what` stands before the text in messages.
std::vector<std::string> WordsOf(std::string_view text, Backslash backslash,
                                 std::string_view what) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (backslash == Backslash::kQuote && c == '\\' && quote != '\'') {
      if (i + 1 == text.size()) {
        throw Error(ErrorKind::kUsage, fmt::format("expected a character behind the backslash at "
                                                   "the end of {}'{}'",
                                                   what, Shown(text)));
      }
      const char next = text[++i];
      if (quote == '"' && std::string_view("$`\"\\\n").find(next) == std::string_view::npos) {
        word += c;
      }
      inside = inside || next != '\n';
      word += next == '\n' ? std::string() : std::string(1, next);
    } else if (quote != 0 ? c == quote : (c == '\'' || c == '"')) {
      quote = quote != 0 ? '\0' : c;
      inside = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      if (inside) {
        words.push_back(std::move(word));
      }
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (quote != 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("expected a closing {} in {}'{}'", quote, what, Shown(text)));
  }
  if (inside) {
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace

std::string ShellWord(std::string_view word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char c : word) {
    // Ends the quotes, has one of its own kind in the other kind, and opens them again.
    quoted += c == '\'' ? std::string("'\"'\"'") : std::string(1, c);
  }
  return quoted + "'";
}

std::string ShellArgument(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string_view::npos) {
    return ShellWord(argument);
  }
  const std::string_view value = argument.substr(equals + 1);
  return std::string(argument.substr(0, equals + 1)) + (value.empty() ? "" : ShellWord(value));
}

std::vector<std::string> ShellWords(std::string_view text) {
  return WordsOf(text, Backslash::kCharacter, "the option set ");
}

std::vector<std::string> PosixWords(std::string_view text) {
  return WordsOf(text, Backslash::kQuote, "");
}

}  // namespace halftone
