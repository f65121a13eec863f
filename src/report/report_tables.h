// Tables that the Markdown report and the page share.
#pragma once

#include <string_view>

#include "src/report/text_table.h"
#include "src/report/tune_summary.h"

namespace halftone {

// Metrics on the samples of the search, and on held-out ones where there are any.
TextTable MetricTable(const Accuracy& search, const std::optional<Accuracy>& heldout);

// Why operators of the chosen point are in float32, and at what price.
TextTable KeptTable(const TuneSummary& summary);

inline constexpr std::string_view kAlternativesExplanation =
    "Other sets of operators in float32 that should do as well, by prediction; not measured.";

TextTable AlternativesTable(const TuneSummary& summary);

// What the figures of KeptTable() are.
std::string KeptExplanation(const TuneSummary& summary);

// How it was measured, and what is needed to do it again.
TextTable FactTable(const TuneSummary& summary);

TextTable RejectedTable(const TuneSummary& summary);

}  // namespace halftone
