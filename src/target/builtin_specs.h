// Built-in target files: the texts of src/target/specs/*.ini (cmake/halftone_embed.cmake).
#pragma once

#include <span>

#include "src/base/embedded_text.h"

namespace halftone {

std::span<const EmbeddedText> BuiltinSpecs();

}  // namespace halftone
