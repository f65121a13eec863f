// The sections of report.html. Each is HTML, and empty where the run has nothing to show.
#pragma once

#include <string>

#include "src/report/tune_summary.h"

namespace halftone {

// What was chosen, speed-up and loss, what was promised and whether it holds, warnings.
std::string VerdictSection(const TuneSummary& summary);

// The points, drawn and as a table, with what each does otherwise than its faster neighbour.
std::string FrontSection(const TuneSummary& summary);

// What operators feel of 16 bits, and which of them stayed in float32 and why.
std::string SensitivitySection(const TuneSummary& summary);
std::string KeptSection(const TuneSummary& summary);

// The chosen point node by node: errors, with the first bad node, and times.
std::string GrowthSection(const TuneSummary& summary);
std::string TimeSection(const TuneSummary& summary);

std::string PredictionSection(const TuneSummary& summary);

// The samples: what is in them, what is odd about them, which the chosen point serves worst.
std::string DataSection(const TuneSummary& summary);

std::string ReproductionSection(const TuneSummary& summary);

}  // namespace halftone
