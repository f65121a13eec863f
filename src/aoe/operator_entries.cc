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

void KeepListed(const TuneOps& ops, OperatorProblem& problem) {
  std::erase_if(problem.operators, [&](const OperatorModes& op) {
    return !ops.names.contains(op.node) && !ops.types.contains(op.ir_type) &&
           !AnyOf(op.fused_names, ops.names) && !AnyOf(op.fused_types, ops.types);
  });
}

OperatorEntries::OperatorEntries(const OperatorProblem& problem)
    : problem_(problem), entries_(problem.operators.size()) {}

void OperatorEntries::Add(const Trial& trial, bool measured) {
  const std::vector<std::size_t> changed = Changed(trial.candidate.options);
  if (changed.size() != 1) {
    return;
  }
  Entry& entry = entries_[changed.front()];
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

std::string_view OperatorEntries::UpdateMode(std::size_t index) const {
  const Entry& entry = entries_[index];
  if (!entry.known) {
    return "add";
  }
  return entry.measured ? "update" : "";
}

AoeRepoSummary OperatorEntries::Summary(const PrecisionOptions* chosen) const {
  const std::vector<std::size_t> changed =
      chosen == nullptr ? std::vector<std::size_t>{} : Changed(*chosen);
  AoeRepoSummary summary;
  summary.total = static_cast<std::int64_t>(entries_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const bool is_changed = std::find(changed.begin(), changed.end(), i) != changed.end();
    summary.hit += entries_[i].known ? 1 : 0;
    if (!is_changed) {
      ++(entries_[i].known ? summary.reserved : summary.unsatisfied);
    } else if (const std::string_view mode = UpdateMode(i); mode == "add") {
      ++summary.add;
    } else {
      ++(mode == "update" ? summary.update : summary.reserved);
    }
  }
  return summary;
}

std::vector<std::string> OperatorEntries::Failed() const {
  std::vector<std::string> failed;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if ((entries_[i].known || entries_[i].measured) && !entries_[i].succeeded) {
      failed.push_back(problem_.operators[i].node);
    }
  }
  return failed;
}

}  // namespace halftone
