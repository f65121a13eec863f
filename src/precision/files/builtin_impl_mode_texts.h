// Texts of src/precision/impl_modes/*.ini, compiled in (cmake/halftone_embed.cmake).
#pragma once

#include <span>

#include "src/base/embedded_text.h"

namespace halftone {

std::span<const EmbeddedText> BuiltinImplModeTexts();

}  // namespace halftone
