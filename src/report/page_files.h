// The style sheet and the scripts of report.html, Chart.js among them
// (docs/internals/dependencies.md).
#pragma once

#include <span>

#include "src/base/embedded_text.h"

namespace halftone {

// The style sheet ("report" of report.css) first, then the scripts in the order they run.
std::span<const EmbeddedText> PageFiles();

}  // namespace halftone
