// Tables that the Markdown report and the page share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/text_table.h"
#include "src/report/tune_summary.h"

namespace halftone {

// A row for each bound of the verdict: what was asked, its verdict in words, what was found.
TextTable BoundTable(const Verdict& verdict);

// Points that are faster than the chosen one, and why none of them is chosen: a row for each
// reason; reasons that differ only in figures share a row.
TextTable RefusedTable(const TuneSummary& summary);

// Metrics on the samples of the search, and on held-out ones where there are any.
TextTable MetricTable(const Accuracy& search, const std::optional<Accuracy>& heldout);

// Operators of the described point (TunedFront) in float32 that stay so for one cause, those whose
// choice would save most first.
struct KeptGroup {
  std::string cause;
  double saved_time = 0;  // of all of them: share of float32's time
  std::vector<const KeptOperator*> operators;
};

// Groups of KeptOperator in the order of the time that they would save together, most first. Refers
// to `summary`.
std::vector<KeptGroup> KeptByCause(const TuneSummary& summary);

// "cancellation: 3 operators, which would save 12.5 us".
std::string Describe(const KeptGroup& group, const TuneSummary& summary);

// The operators of groups, in their order, with reasons and costs.
TextTable KeptTable(const TuneSummary& summary, std::span<const KeptGroup> groups);

// Each warning once, with the number of times where it is there several times.
std::vector<std::string> WarningsOnce(const TuneSummary& summary);

inline constexpr std::string_view kAlternativesExplanation =
    "Other sets of operators in float32 that should do as well, by prediction; not measured.";

TextTable AlternativesTable(const TuneSummary& summary);

// Table of the described point at each of several input shapes; no rows with one shape, or where
// nothing was measured at them.
TextTable ShapeTable(const TuneSummary& summary);

// Meaning of KeptTable()'s figures.
std::string KeptExplanation(const TuneSummary& summary);

// Reason why there is no KeptTable() though the described point has operators in float32; "" where
// there is one, or where it has none.
std::string KeptUnexplained(const TuneSummary& summary);

// Heading of the columns with the error that one operator makes at the outputs: SQNR there, or,
// where no output is floating, at the tensors that they are computed from.
std::string_view OutputSqnrHeading(bool by_agreement);

// Measurement conditions, and data for reproduction.
TextTable FactTable(const TuneSummary& summary);

// Rejected configurations by the kind of their reason, kShownRejectedGroups at most.
TextTable RejectedTable(const TuneSummary& summary);

}  // namespace halftone
