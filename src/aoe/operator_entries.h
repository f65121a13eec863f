// Changes that job 2 makes to the bank entries of operators: kernels that its first stage found,
// and trials of the search.
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

// Removes the operators that are not listed.
void KeepListed(const TuneOps& ops, OperatorProblem& problem);
// True if the name or the type of the operator, or of one that was fused into it, is listed.
bool IsListed(const TuneOps& ops, const OperatorModes& op);

// Operator that several kernels can run, after the first stage.
struct OperatorKernel {
  std::string node;
  std::string ir_type;
  bool known = false;  // the bank had its fastest kernel before this run
  bool tuned = false;  // its fastest kernel differs from that of the static order
};

struct ModifiedOperator {
  std::string node;
  std::string ir_type;
  std::string_view update_mode;  // "add", "update"
};

// True if two configurations, timed against the same anchor, may be equally fast: the intervals of
// their ratios overlap.
bool IsTie(const Latency& before, const Latency& after);

// Bank entries of operators. An operator has an entry if its fastest kernel is stored, or a trial
// that changes only the mode of this operator.
class OperatorEntries {
 public:
  explicit OperatorEntries(const OperatorProblem& problem);

  // Adds the kernels of the first stage, before the search. Operators outside the problem are added
  // after those of the problem.
  void AddKernels(const std::vector<OperatorKernel>& kernels);

  // Records that this run gained nothing for the operator: it counts as not modified.
  void Withdraw(std::string_view node);

  // Adds a finished trial. `measured`: true if this run measured it, false if it is from the bank.
  void Add(const Trial& trial, bool measured);

  // Indices of the operators whose mode in `options` is not that of the baseline.
  [[nodiscard]] std::vector<std::size_t> Changed(const PrecisionOptions& options) const;

  // Change of the entry of operator `index` of the problem, if its mode in the chosen configuration
  // is not that of the baseline: "add", "update", or "" for none.
  [[nodiscard]] std::string_view UpdateMode(std::size_t index) const;

  // Operators for which this run wrote another kernel or mode: those of the problem in its order,
  // then those without a choice of modes. `chosen`: the chosen configuration; null: no mode
  // changed.
  [[nodiscard]] std::vector<ModifiedOperator> Modified(const PrecisionOptions* chosen) const;

  // Numbers of operators by change of their entries. `chosen` as for Modified().
  [[nodiscard]] AoeRepoSummary Summary(const PrecisionOptions* chosen) const;

  // Names of the operators that have trials, but no successful one.
  [[nodiscard]] std::vector<std::string> Failed() const;

 private:
  struct Entry {
    bool known = false;      // the bank had a trial of it before this run
    bool measured = false;   // this run measured a trial of it
    bool succeeded = false;  // a trial of it was measured, not rejected
  };

  struct Row {
    std::string node;
    std::string ir_type;
    Entry mode;
    std::optional<OperatorKernel> kernel;
    bool withdrawn = false;

    [[nodiscard]] bool known() const { return mode.known || (kernel && kernel->known); }

    // UpdateMode(); `mode_changed`: the chosen configuration changes the mode.
    [[nodiscard]] std::string_view Update(bool mode_changed) const;
  };

  [[nodiscard]] std::vector<bool> ModesChanged(const PrecisionOptions* chosen) const;

  const OperatorProblem& problem_;
  std::vector<Row> rows_;  // operators of the problem in its order, then those with kernels only
};

}  // namespace halftone
