// Sections of report.html. Each function returns HTML, or an empty text if the run has no data for
// the section.
#pragma once

#include <string>

#include "src/report/tune_summary.h"

namespace halftone {

// The verdict with the figures of the chosen point. Warnings too, if there is no front.
std::string VerdictSection(const TuneSummary& summary);

// A chart and a table of the points, with the warnings. The table states how each point differs
// from its faster neighbour.
std::string FrontSection(const TuneSummary& summary);

// Bounds with what is promised of them, reasons why faster points are not chosen, gates.
std::string BoundsSection(const TuneSummary& summary);

// The network at the described point as a graph and a table: formats, errors, times, findings.
std::string NetworkSection(const TuneSummary& summary);

// Sensitivity of operators to 16 bits.
std::string SensitivitySection(const TuneSummary& summary);
// Operators kept in float32, with their reasons.
std::string KeptSection(const TuneSummary& summary);

// Errors of the described point, node by node, with the first bad node.
std::string GrowthSection(const TuneSummary& summary);
// Times of the described point, node by node.
std::string TimeSection(const TuneSummary& summary);

// 8-bit tensors: ranges and what these lose, and charts. The reader chooses the tensor whose
// histogram and the weight whose channels are drawn.
std::string QuantizationSection(const TuneSummary& summary);
// The data of the charts of QuantizationSection(), as an HTML element. Empty if that section is
// empty.
std::string QuantizationData(const TuneSummary& summary);

std::string PredictionSection(const TuneSummary& summary);

// The samples: ranges, anomalies, and those on which the described point is worst.
std::string DataSection(const TuneSummary& summary);

std::string ReproductionSection(const TuneSummary& summary);

}  // namespace halftone
