#include "src/aoe/operator_entries.h"

#include <algorithm>

namespace halftone {
namespace {

bool AnyOf(const std::vector<std::string>& names,
           const std::set<std::string, std::less<>>& listed) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return listed.contains(name); });
}

}  // namespace

bool IsListed(const TuneOps& ops, const OperatorModes& op) {
  return ops.names.contains(op.node) || ops.types.contains(op.ir_type) ||
         AnyOf(op.fused_names, ops.names) || AnyOf(op.fused_types, ops.types);
}

void KeepListed(const TuneOps& ops, OperatorProblem& problem) {
  std::erase_if(problem.operators, [&](const OperatorModes& op) { return !IsListed(ops, op); });
}

bool IsTie(const Latency& before, const Latency& after) {
  return after.ratio_interval.low <= before.ratio_interval.high &&
         before.ratio_interval.low <= after.ratio_interval.high;
}

OperatorEntries::OperatorEntries(const OperatorProblem& problem) : problem_(problem) {
  for (const OperatorModes& op : problem.operators) {
    rows_.push_back({.node = op.node, .ir_type = op.ir_type});
  }
}

void OperatorEntries::AddKernels(const std::vector<OperatorKernel>& kernels) {
  for (const OperatorKernel& kernel : kernels) {
    auto row = std::find_if(rows_.begin(), rows_.end(),
                            [&](const Row& known) { return known.node == kernel.node; });
    if (row == rows_.end()) {
      row = rows_.insert(row, {.node = kernel.node, .ir_type = kernel.ir_type});
    }
    row->kernel = kernel;
  }
}

void OperatorEntries::Withdraw(std::string_view node) {
  for (Row& row : rows_) {
    row.withdrawn = row.withdrawn || row.node == node;
  }
}

void OperatorEntries::Add(const Trial& trial, bool measured) {
  const std::vector<std::size_t> changed = Changed(trial.candidate.options);
  if (changed.size() != 1) {
    return;
  }
  Entry& entry = rows_[changed.front()].mode;
  (measured ? entry.measured : entry.known) = true;
  entry.succeeded = entry.succeeded || trial.measurement() != nullptr;
}

std::vector<std::size_t> OperatorEntries::Changed(const PrecisionOptions& options) const {
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < problem_.operators.size(); ++i) {
    const OperatorModes& op = problem_.operators[i];
    const auto mode = options.impl_mode_by_node.find(op.node);
    if (mode != options.impl_mode_by_node.end() && mode->second != op.current) {
      changed.push_back(i);
    }
  }
  return changed;
}

std::string_view OperatorEntries::Row::Update(bool mode_changed) const {
  const bool mode_written = mode_changed && (!mode.known || mode.measured);
  const bool kernel_written = kernel && kernel->tuned && !kernel->known;
  if (withdrawn || (!mode_written && !kernel_written)) {
    return "";
  }
  return known() ? "update" : "add";
}

std::string_view OperatorEntries::UpdateMode(std::size_t index) const {
  return rows_.at(index).Update(true);
}

std::vector<bool> OperatorEntries::ModesChanged(const PrecisionOptions* chosen) const {
  std::vector<bool> changed(rows_.size(), false);
  if (chosen != nullptr) {
    for (const std::size_t index : Changed(*chosen)) {
      changed[index] = true;
    }
  }
  return changed;
}

std::vector<ModifiedOperator> OperatorEntries::Modified(const PrecisionOptions* chosen) const {
  const std::vector<bool> changed = ModesChanged(chosen);
  std::vector<ModifiedOperator> modified;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (const std::string_view update = rows_[i].Update(changed[i]); !update.empty()) {
      modified.push_back({rows_[i].node, rows_[i].ir_type, update});
    }
  }
  return modified;
}

AoeRepoSummary OperatorEntries::Summary(const PrecisionOptions* chosen) const {
  const std::vector<bool> changed = ModesChanged(chosen);
  AoeRepoSummary summary;
  summary.total = static_cast<std::int64_t>(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const bool known = rows_[i].known();
    const bool written = !rows_[i].Update(changed[i]).empty();
    summary.hit += known ? 1 : 0;
    if (known) {
      ++(written ? summary.update : summary.reserved);
    } else {
      ++(written ? summary.add : summary.unsatisfied);
    }
  }
  return summary;
}

std::vector<std::string> OperatorEntries::Failed() const {
  std::vector<std::string> failed;
  for (const Row& row : rows_) {
    if ((row.mode.known || row.mode.measured) && !row.mode.succeeded) {
      failed.push_back(row.node);
    }
  }
  return failed;
}

}  // namespace halftone
