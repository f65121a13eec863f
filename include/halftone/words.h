// Words of messages, for interfaces of other languages. Sentences name an option as the
// command line does, "--input_shape"; such an interface replaces that by its own name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace halftone {

enum class Language : std::uint8_t {
  kPython,
  kPythonShapes,  // tune() and Session, which take several shapes
  kC,
};

// The sentence with the names of the language: "--soc_version=host" becomes "target=host".
std::string InWordsOf(Language language, std::string_view sentence);

// Printable text of at most 80 characters with "..." in place of the middle of a longer one: how a
// message quotes a line of a file. Not for paths: a reader copies them, so they are shown whole.
std::string Shown(std::string_view text);

}  // namespace halftone
