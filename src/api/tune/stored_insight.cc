#include "src/api/tune/stored_insight.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "knowledge_base/sqlite_store.h"
#include "search/explain/choice_findings.h"
#include "search/strategies/model_strategy.h"
#include "src/api/bank/stored_prober.h"
#include "src/api/bank/stored_profile.h"
#include "src/api/bank/workload.h"
#include "src/api/tune/slow_choices.h"
#include "src/exec/operator_signature.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {

std::optional<SearchInsight> StoredInsight(TrialStore& store, const Hash128& workload_key,
                                           const Decisions& decisions) {
  auto sensitivity = FindSensitivity(store, workload_key, decisions);
  if (!sensitivity) {
    return std::nullopt;
  }
  return SearchInsight{.groups = {decisions.groups().begin(), decisions.groups().end()},
                       .sensitivity = *std::move(sensitivity),
                       .predictions = {}};
}

namespace {

// The quantisations that a sensitivity may be stored for: none, and those of the trials.
std::vector<SharedQuantization> QuantizationsOf(const std::vector<StoredTrial>& trials) {
  std::vector<SharedQuantization> all = {{}};
  for (const StoredTrial& stored : trials) {
    const SharedQuantization& quantization = stored.trial.candidate.options.quantization;
    if (std::ranges::find(all, quantization) == all.end()) {
      all.push_back(quantization);
    }
  }
  return all;
}

}  // namespace

std::map<std::string, std::string> StoredFindings(const Model& model,
                                                  const std::filesystem::path& bank,
                                                  const TargetSpec& target,
                                                  const StoredConfiguration& configuration) {
  const auto store = OpenSqliteStore(DatabasePath(bank, target.name), OpenMode::kReadOnly);
  const auto snapshot = store->Snapshot();
  SearchSpace space = MakeSearchSpace(model.graph, target, {});
  const std::vector<SharedQuantization> quantizations =
      QuantizationsOf(store->Trials(configuration.workload_key));
  const auto findings_with =
      [&](const SharedQuantization& quantization) -> std::map<std::string, std::string> {
    space.quantization = quantization;
    const Decisions decisions(model.graph, target, DecisionOptionsOf(space, target));
    const auto insight = StoredInsight(*store, configuration.workload_key, decisions);
    return insight ? ChoiceFindings(decisions, *insight,
                                    ResolvePrecision(model.graph, configuration.precision, target))
                   : std::map<std::string, std::string>();
  };
  const auto findings = [&] {
    for (const SharedQuantization& quantization : quantizations) {
      if (auto found = findings_with(quantization); !found.empty()) {
        return found;
      }
    }
    return std::map<std::string, std::string>();
  };
  if (auto found = findings(); !found.empty()) {
    return found;
  }
  // The search may have left out what the machine profile ruled out.
  const int threads = configuration.threads;
  const MachineProfile profile = StoredProfile(OperatorsOf(model.graph), threads, *store);
  space.slow_choices = SlowChoicesOf(
      Decisions(model.graph, target, DecisionOptionsOf(space, target)), profile, threads);
  return findings();
}

}  // namespace halftone
