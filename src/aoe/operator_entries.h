// What happened to the bank's entry of each operator in job 2, from the trials of the search.
#pragma once

#include <vector>

#include "search/operator_modes.h"
#include "search/trial.h"
#include "src/aoe/result_file.h"
#include "src/aoe/tune_ops_file.h"

namespace halftone {

// Leaves only the operators whose name or type is listed, fused ones included.
void KeepListed(const TuneOps& ops, OperatorProblem& problem);

// An operator has an entry when a trial that changes its mode alone is in the bank.
class OperatorEntries {
 public:
  explicit OperatorEntries(const OperatorProblem& problem);

  // A finished trial; `measured`: just now, else known from the bank.
  void Add(const Trial& trial, bool measured);

  // The operators whose mode in `options` is not that of the baseline.
  [[nodiscard]] std::vector<std::size_t> Changed(const PrecisionOptions& options) const;

  // "add", "update" or "" (the entry was there and has been kept) for an operator that `chosen`
  // changes.
  [[nodiscard]] std::string_view UpdateMode(std::size_t index) const;

  // With nothing chosen, no operator counts as changed.
  [[nodiscard]] AoeRepoSummary Summary(const PrecisionOptions* chosen) const;

  // Operators of which no trial has succeeded though one was made.
  [[nodiscard]] std::vector<std::string> Failed() const;

 private:
  struct Entry {
    bool known = false;     // before this run
    bool measured = false;  // in this run
    bool succeeded = false;
  };

  const OperatorProblem& problem_;
  std::vector<Entry> entries_;  // parallel to OperatorProblem::operators
};

}  // namespace halftone
