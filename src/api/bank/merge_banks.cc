// Merging of banks by `halftone bank merge` and by callers that merge many.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "knowledge_base/merge_bank.h"
#include "knowledge_base/sqlite_store.h"
#include "src/api/bank/bank_upkeep.h"
#include "src/api/bank/upkeep_texts.h"
#include "src/api/bank/workload.h"
#include "src/base/text.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// The database that `path`, a folder above <soc_version> or the file itself, names.
fs::path SourceOf(const fs::path& path, std::string_view soc_version) {
  std::error_code error;
  const bool folder = !fs::exists(path, error) || fs::is_directory(path, error);
  return folder ? DatabasePath(path, soc_version) : path;
}

// Errors kDatabase for a source that is not there, kUsage for the bank itself.
void CheckSource(const fs::path& path, const fs::path& source, const fs::path& target) {
  CheckExists(source);
  std::error_code error;
  if (fs::equivalent(source, target, error)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("'{}' is the bank to merge into; name others", path.string()));
  }
}

// The CPUs that measurements of a bank are of; those that nobody knows or that were predicted are
// nobody's.
CpuNames MachinesAmong(const CpuNames& cpus) {
  CpuNames machines;
  for (const std::string& cpu : cpus) {
    if (const std::string_view machine = MachineOf(cpu); !machine.empty()) {
      machines.emplace(machine);
    }
  }
  return machines;
}

// Judge of whose measurements belong into a bank.
struct Expected {
  CpuNames machines;
  bool of_bank = true;  // false: the bank holds none, this machine or the caller decides

  [[nodiscard]] std::vector<std::string> OthersAmong(const CpuNames& cpus) const {
    std::vector<std::string> others;
    std::ranges::set_difference(MachinesAmong(cpus), machines, std::back_inserter(others));
    return others;
  }

  // A clause: "holds measurements of 'A', the bank of 'B'".
  [[nodiscard]] std::string Difference(const std::vector<std::string>& others) const {
    return fmt::format("holds measurements of '{}', {} '{}'", Join(others, "', '"),
                       of_bank ? "the bank those of" : "and this bank is for",
                       Join({machines.begin(), machines.end()}, "', '"));
  }
};

Expected ExpectedIn(const CpuNames& of_bank, const std::string& cpu) {
  CpuNames machines = MachinesAmong(of_bank);
  if (!machines.empty()) {
    return {.machines = std::move(machines)};
  }
  return {.machines = {cpu.empty() ? CpuName() : cpu}, .of_bank = false};
}

Error OtherCpuError(const fs::path& source, const Expected& expected,
                    const std::vector<std::string>& others) {
  return {ErrorKind::kDatabase,
          fmt::format("'{}' {}: keep a bank for each model of CPU, or merge without --same_cpu",
                      source.string(), expected.Difference(others))};
}

std::string OtherCpuWarning(const fs::path& source, const Expected& expected,
                            const std::vector<std::string>& others) {
  return fmt::format(
      "warning: '{}' {}: a machine uses its own only, and the others take space; --same_cpu "
      "refuses them",
      source.string(), expected.Difference(others));
}

// Each source before any is added.
void CheckCpus(const std::vector<fs::path>& sources, const fs::path& target) {
  std::error_code error;
  const Expected expected = ExpectedIn(fs::exists(target, error) ? CpusIn(target) : CpuNames(), {});
  for (const fs::path& source : sources) {
    if (const auto others = expected.OthersAmong(CpusIn(source)); !others.empty()) {
      throw OtherCpuError(source, expected, others);
    }
  }
}

class Union {
 public:
  Union(fs::path target, const MergeOptions& options)
      : target_(std::move(target)),
        options_(options),
        merger_(target_),
        expected_(ExpectedIn(merger_.Cpus(), options.cpu)) {}

  MergeOutcome Add(const fs::path& path, std::string_view soc_version) {
    MergeOutcome outcome{.source = SourceOf(path, soc_version)};
    try {
      CheckSource(path, outcome.source, target_);
    } catch (const Error& error) {
      outcome.error = error;
      return outcome;
    }
    MergedBank merged = merger_.Add(outcome.source, [&](const CpuNames& cpus) {
      outcome.other_cpus = expected_.OthersAmong(cpus);
      if (options_.same_cpu && !outcome.other_cpus.empty()) {
        throw OtherCpuError(outcome.source, expected_, outcome.other_cpus);
      }
    });
    outcome.records = merged.records;
    outcome.error = std::move(merged.error);
    return outcome;
  }

  [[nodiscard]] const Expected& expected() const { return expected_; }

 private:
  fs::path target_;
  const MergeOptions& options_;
  BankMerger merger_;
  Expected expected_;  // before anything was added
};

}  // namespace

std::vector<MergeOutcome> MergeEach(const std::vector<fs::path>& from, const fs::path& bank,
                                    std::string_view soc_version, const MergeOptions& options) {
  Union banks(DatabasePath(bank, soc_version), options);
  std::vector<MergeOutcome> outcomes;
  for (const fs::path& path : from) {
    outcomes.push_back(banks.Add(path, soc_version));
    if (options.on_source) {
      options.on_source(outcomes.back());
    }
  }
  return outcomes;
}

std::string MergeBanks(const std::vector<fs::path>& from, const fs::path& bank,
                       std::string_view soc_version, bool same_cpu) {
  const fs::path target = DatabasePath(bank, soc_version);
  std::vector<fs::path> sources;
  for (const fs::path& path : from) {
    sources.push_back(SourceOf(path, soc_version));
    CheckSource(path, sources.back(), target);
  }
  if (same_cpu) {
    CheckCpus(sources, target);
  }
  const MergeOptions options;
  Union banks(target, options);
  std::string text;
  std::set<std::vector<std::string>> warned;
  for (const fs::path& source : sources) {
    MergeOutcome outcome = banks.Add(source, soc_version);
    if (outcome.error) {
      throw *std::move(outcome.error);
    }
    AddLine(text, AddedLine("merged", source.string(), outcome.records));
    if (!outcome.other_cpus.empty() && warned.insert(outcome.other_cpus).second) {
      AddLine(text, OtherCpuWarning(source, banks.expected(), outcome.other_cpus));
    }
  }
  AddLine(text, fmt::format("knowledge base: {}", target.string()));
  return text;
}

}  // namespace halftone
