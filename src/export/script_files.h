// Python scripts that exports have beside them or are made of (src/export/scripts/).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/base/embedded_text.h"

namespace halftone {

// Made by the build.
std::span<const EmbeddedText> ScriptFiles();

// The text of a script by its name without ending. Error kInternal: there is none.
std::string ScriptText(std::string_view name);

}  // namespace halftone
