// Changes of each operator's bank entry in job 2: by the kernels that its first stage found, and by
// the trials of the search.
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
  bool tuned = false;  // it differs from that of the static order
};

struct ModifiedOperator {
  std::string node;
  std::string ir_type;
  std::string_view update_mode;  // "add", "update"
};

// True for two configurations, timed against the same anchor, that may be equally fast: the
// interval of their time ratio holds 1.
bool IsTie(const Latency& before, const Latency& after);

// Bank entries of operators. An operator has one for a stored fastest kernel, or a trial that
// changes only its mode.
class OperatorEntries {
 public:
  explicit OperatorEntries(const OperatorProblem& problem);

  // Call before the search; operators may be outside the problem.
  void AddKernels(const std::vector<OperatorKernel>& kernels);

  // Records that the operator gained nothing: its entry from this run counts as no modification.
  void Withdraw(std::string_view node);

  // Adds a finished trial; `measured`: now, else it is from the bank.
  void Add(const Trial& trial, bool measured);

  // The operators whose mode in `options` is not that of the baseline.
  [[nodiscard]] std::vector<std::size_t> Changed(const PrecisionOptions& options) const;

  // "add", "update" or "" (the earlier entry is unchanged) for an operator of the problem that
  // `chosen` changes.
  [[nodiscard]] std::string_view UpdateMode(std::size_t index) const;

  // Operators for which this run wrote another kernel or mode, in problem order; those without a
  // choice of modes follow.
  [[nodiscard]] std::vector<ModifiedOperator> Modified(const PrecisionOptions* chosen) const;

  // Sums over the operators. `chosen`: null: no operator counts as changed.
  [[nodiscard]] AoeRepoSummary Summary(const PrecisionOptions* chosen) const;

  // Operators with trials, none of which succeeded.
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
