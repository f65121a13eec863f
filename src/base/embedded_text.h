// A text file that the build compiled into the program (cmake/halftone_embed.cmake).
#pragma once

#include <string_view>

namespace halftone {

struct EmbeddedText {
  std::string_view name;  // file name without folder and ending
  std::string_view text;
  std::string_view sha256;  // SHA-256 of the text, 64 hexadecimal digits
};

}  // namespace halftone
