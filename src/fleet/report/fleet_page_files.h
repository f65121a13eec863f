// Style sheet of a fleet's report.html, used together with that of src/report/page_files.h.
#pragma once

#include <span>

#include "src/base/embedded_text.h"

namespace halftone {

// One row, "fleet", with the content of fleet.css.
std::span<const EmbeddedText> FleetPageFiles();

}  // namespace halftone
