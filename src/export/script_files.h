// Python scripts that lie beside exports or are part of them (src/export/scripts/).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/base/embedded_text.h"

namespace halftone {

// All scripts; the build makes this list.
std::span<const EmbeddedText> ScriptFiles();

// The text of a script by its name without ending. Error kInternal: no script has the name.
std::string ScriptText(std::string_view name);

}  // namespace halftone
