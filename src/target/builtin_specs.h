// The texts of src/target/specs/*.ini, compiled in (cmake/halftone_embed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace halftone {

struct EmbeddedText {
  std::string_view name;  // of the file, without folder and ending
  std::string_view text;
};

std::span<const EmbeddedText> BuiltinSpecs();

}  // namespace halftone
