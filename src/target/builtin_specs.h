// Texts of src/target/specs/*.ini, compiled in (cmake/halftone_embed.cmake).
#pragma once

#include <span>

#include "src/base/embedded_text.h"

namespace halftone {

std::span<const EmbeddedText> BuiltinSpecs();

}  // namespace halftone
