// The sections of report.html. Each is HTML, and empty where the run has no data for it.
#pragma once

#include <string>

#include "src/report/tune_summary.h"

namespace halftone {

// The verdict with the figures of the chosen point; warnings where there is no front.
std::string VerdictSection(const TuneSummary& summary);

// The points as a drawing, warnings, and the points as a table with the differences from the faster
// neighbour.
std::string FrontSection(const TuneSummary& summary);

// Bounds with what is promised of them, why faster points are not chosen, gates.
std::string BoundsSection(const TuneSummary& summary);

// The network at the described point as a graph and a table: formats, errors, times, findings.
std::string NetworkSection(const TuneSummary& summary);

// Sensitivity of operators to 16 bits, and those in float32 with their reasons.
std::string SensitivitySection(const TuneSummary& summary);
std::string KeptSection(const TuneSummary& summary);

// The described point node by node: errors, with the first bad node, and times.
std::string GrowthSection(const TuneSummary& summary);
std::string TimeSection(const TuneSummary& summary);

// The 8-bit tensors: ranges and what they lose, histogram of a chosen one, channels of a chosen
// weight.
std::string QuantizationSection(const TuneSummary& summary);
// Data of its pictures: an element of the page. Empty where there is no such section.
std::string QuantizationData(const TuneSummary& summary);

std::string PredictionSection(const TuneSummary& summary);

// The samples: ranges, anomalies, and those on which the described point is worst.
std::string DataSection(const TuneSummary& summary);

std::string ReproductionSection(const TuneSummary& summary);

}  // namespace halftone
