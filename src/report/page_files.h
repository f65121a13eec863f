// Style sheet and scripts of report.html, among them Chart.js (docs/internals/dependencies.md).
#pragma once

#include <span>

#include "src/base/embedded_text.h"

namespace halftone {

// The style sheet ("report", of report.css) first, then the scripts in the order in which they run.
std::span<const EmbeddedText> PageFiles();

}  // namespace halftone
