// Text files that the build compiles into the program (cmake/halftone_embed.cmake).
#pragma once

#include <string_view>

namespace halftone {

struct EmbeddedText {
  std::string_view name;  // name of the file, without folder and ending
  std::string_view text;
  std::string_view sha256;  // SHA-256 of the text, 64 hexadecimal digits
};

}  // namespace halftone
