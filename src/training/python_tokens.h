// Tokens of a Python script.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct PythonToken {
  enum class Kind : std::uint8_t { kName, kNumber, kString, kOperator, kEnd };

  Kind kind = Kind::kEnd;
  // A string has no prefix and no quotes here. \n and \t in it are replaced, and other escapes lose
  // their backslash; a raw string keeps its escapes.
  std::string text;
  int line = 1;  // from 1

  // True if the token is `wanted`, and not a string with this text.
  [[nodiscard]] bool Is(std::string_view wanted) const {
    return kind != Kind::kString && text == wanted;
  }
};

// Splits any text into tokens and drops comments and blanks. A string without a closing quote ends
// with its line, or with the text if it has triple quotes. An f-string becomes an operator "f" and
// a string. The last token is kEnd.
std::vector<PythonToken> PythonTokensOf(std::string_view text);

}  // namespace halftone
