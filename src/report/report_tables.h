// Tables that the Markdown report and the page share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/text_table.h"
#include "src/report/tune_summary.h"

namespace halftone {

// A row for each bound of the verdict: the demand, its verdict in words, the figures found.
TextTable BoundTable(const Verdict& verdict);

// Points that are faster than the chosen one, and the reasons why none of them is chosen. A row for
// each reason; reasons that differ only in figures share a row.
TextTable RefusedTable(const TuneSummary& summary);

// Metrics on the samples of the search, and on held-out samples if there are any.
TextTable MetricTable(const Accuracy& search, const std::optional<Accuracy>& heldout);

// Operators that the described point (TunedFront) keeps in float32 for one cause. Those whose
// choice would save most come first.
struct KeptGroup {
  std::string cause;
  double saved_time = 0;  // of all of them together: share of float32's time
  std::vector<const KeptOperator*> operators;
};

// Groups by cause. The group that would save most time comes first. Refers to `summary`.
std::vector<KeptGroup> KeptByCause(const TuneSummary& summary);

// "cancellation: 3 operators, which would save 12.5 us".
std::string Describe(const KeptGroup& group, const TuneSummary& summary);

// The operators of groups in their order, with reasons and costs.
TextTable KeptTable(const TuneSummary& summary, std::span<const KeptGroup> groups);

// Each warning once. The number of times stands behind a warning that occurs several times.
std::vector<std::string> WarningsOnce(const TuneSummary& summary);

inline constexpr std::string_view kAlternativesExplanation =
    "Other sets of operators in float32 that should do as well, by prediction; not measured.";

// Alternatives to the operators kept in float32, with their predictions.
TextTable AlternativesTable(const TuneSummary& summary);

// The described point at each of several input shapes. No rows if there is one shape, or if nothing
// was measured at the shapes.
TextTable ShapeTable(const TuneSummary& summary);

// Meaning of the figures of KeptTable().
std::string KeptExplanation(const TuneSummary& summary);

// Reason why there is no KeptTable() though the described point has operators in float32. Empty if
// there is a table, or if the point has no such operator.
std::string KeptUnexplained(const TuneSummary& summary);

// Heading of a column with the error that one operator makes at the outputs: the SQNR there. With
// `by_agreement`, no output is floating, and the SQNR is that of the tensors from which the outputs
// are computed.
std::string_view OutputSqnrHeading(bool by_agreement);

// Conditions of the measurement, and data for its reproduction.
TextTable FactTable(const TuneSummary& summary);

// Rejected configurations by the kind of their reason: the kShownRejectedGroups largest groups, and
// a row for the others.
TextTable RejectedTable(const TuneSummary& summary);

}  // namespace halftone
