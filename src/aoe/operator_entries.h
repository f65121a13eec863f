// What happened to the bank's entry of each operator in job 2: from the kernels that its first
// stage found, and from the trials of the search.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/operators/operator_modes.h"
#include "search/trial/trial.h"
#include "src/aoe/result_file.h"
#include "src/aoe/tune_ops_file.h"

namespace halftone {

// Leaves only the operators whose name or type is listed, fused ones included.
void KeepListed(const TuneOps& ops, OperatorProblem& problem);
bool IsListed(const TuneOps& ops, const OperatorModes& op);

// An operator that several kernels can run, after the first stage.
struct OperatorKernel {
  std::string node;
  std::string ir_type;
  bool known = false;  // the bank had its fastest kernel before this run
  bool tuned = false;  // that is another one than that of the static order
};

struct ModifiedOperator {
  std::string node;
  std::string ir_type;
  std::string_view update_mode;  // "add", "update"
};

// Whether two configurations that were timed against the same anchor may be equally fast: the
// interval of the ratio of their times holds 1.
bool IsTie(const Latency& before, const Latency& after);

// An operator has an entry when the bank has its fastest kernel, or a trial that changes its mode
// alone.
class OperatorEntries {
 public:
  explicit OperatorEntries(const OperatorProblem& problem);

  // Of operators that the problem has or not; before the search.
  void AddKernels(const std::vector<OperatorKernel>& kernels);

  // No gain was seen for the operator: what this run wrote for it is no modification.
  void Withdraw(std::string_view node);

  // A finished trial; `measured`: just now, else known from the bank.
  void Add(const Trial& trial, bool measured);

  // The operators whose mode in `options` is not that of the baseline.
  [[nodiscard]] std::vector<std::size_t> Changed(const PrecisionOptions& options) const;

  // "add", "update" or "" (the entry was there and has been kept) for an operator of the problem
  // that `chosen` changes.
  [[nodiscard]] std::string_view UpdateMode(std::size_t index) const;

  // Operators of which this run wrote another kernel or mode, in the order of the problem; those
  // without a choice of modes follow.
  [[nodiscard]] std::vector<ModifiedOperator> Modified(const PrecisionOptions* chosen) const;

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

  struct Row {
    std::string node;
    std::string ir_type;
    Entry mode;
    std::optional<OperatorKernel> kernel;
    bool withdrawn = false;

    [[nodiscard]] bool known() const { return mode.known || (kernel && kernel->known); }

    // "add", "update" or "": see UpdateMode().
    [[nodiscard]] std::string_view Update(bool mode_changed) const;
  };

  [[nodiscard]] std::vector<bool> ModesChanged(const PrecisionOptions* chosen) const;

  const OperatorProblem& problem_;
  std::vector<Row> rows_;  // those of the problem in its order, then those with kernels only
};

}  // namespace halftone
