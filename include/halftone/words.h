// Words of messages, for interfaces of halftone in other languages. Messages name an option as on
// the command line, "--input_shape"; an interface replaces that by its own name of the option.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace halftone {

enum class Language : std::uint8_t {
  kPython,
  kPythonShapes,  // tune() and Session of Python, which take several input shapes
  kC,
};

// Returns the sentence with the option names of the language: in Python, "--soc_version=host"
// becomes "target=host".
std::string InWordsOf(Language language, std::string_view sentence);

// Returns printable text of at most 80 characters, for quotes in messages: control characters
// become escapes, and "..." replaces the middle of a longer text. Paths are not shortened by it,
// because a reader may copy them.
std::string Shown(std::string_view text);

}  // namespace halftone
