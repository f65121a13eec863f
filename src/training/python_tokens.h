// Words of a Python script.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct PythonToken {
  enum class Kind : std::uint8_t { kName, kNumber, kString, kOperator, kEnd };

  Kind kind = Kind::kEnd;
  std::string text;  // of a string without prefix and quotes, its escapes replaced
  int line = 1;      // from 1

  [[nodiscard]] bool Is(std::string_view wanted) const {
    return kind != Kind::kString && text == wanted;
  }
};

// Splits any text; comments and blanks are dropped. A string that does not end ends with the text,
// an f-string is an operator "f". The last token is kEnd.
std::vector<PythonToken> PythonTokensOf(std::string_view text);

}  // namespace halftone
