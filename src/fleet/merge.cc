#include "src/fleet/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "src/api/bank/bank_upkeep.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/file_lock.h"
#include "src/base/move_folder.h"
#include "src/base/path_error.h"
#include "src/base/temporary_folder.h"
#include "src/base/text.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 5;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;  // of a list

enum class Damage : bool { kLeave, kSetAside };

// The list of results that merged/KIND has, a line each.
fs::path MergedList(const FleetFolder& folder, const std::string& kind) {
  return folder.path() / "merged" / fmt::format(".{}.list", kind);
}

std::set<std::string> KnownResults(const fs::path& list) {
  std::set<std::string> known;
  if (fs::exists(list)) {
    const std::string text = ReadSmallFile(list, kMostBytes);
    for (const std::string_view line : Split(text, '\n')) {
      if (!line.empty()) {
        known.emplace(line);
      }
    }
  }
  return known;
}

class Merger {
 public:
  Merger(const FleetFolder& folder, std::string kind)
      : folder_(folder), kind_(std::move(kind)), list_(MergedList(folder, kind_)) {
    known_ = KnownResults(list_);
    for (const FleetItem& item : ItemsOf(folder_.Plan())) {
      if (item.kind == kind_) {
        Collect(item);
      }
    }
  }

  [[nodiscard]] bool has_new() const { return !banks_.empty(); }

  // `local`: a folder on this machine's disk.
  MergeOfKind Run(const fs::path& local, Damage damage) {
    if (has_new()) {
      MergeNew(local / kind_, damage);
    }
    result_.cpus.assign(cpus_.begin(), cpus_.end());
    return std::move(result_);
  }

 private:
  // A bank that no merge has had yet.
  struct NewBank {
    FleetItem item;
    fs::path path;
    std::string name;    // its line in the list
    std::string damage;  // why it cannot be merged
  };

  void Collect(const FleetItem& item) {
    if (!folder_.HasResult(item)) {
      result_.missing.push_back(item);
      return;
    }
    FleetResult result;
    try {
      result = folder_.Result(item).value();
    } catch (const Error& error) {
      result_.damaged.push_back(
          fmt::format("the result of '{}' is damaged, and its bank is not "
                      "merged: {}",
                      item.network, error.what()));
      return;
    }
    if (!result.cpu.empty()) {
      cpus_.insert(result.cpu);
    }
    const fs::path bank = folder_.ResultFolder(item) / "bank";
    // A result that was done again is another bank.
    const std::string name =
        fmt::format("{} {} {} {}", folder_.round(), item.network, result.begin, result.node);
    std::error_code code;
    if (!fs::exists(bank, code)) {
      return;
    }
    if (known_.contains(name)) {
      ++result_.known;
      return;
    }
    banks_.push_back({item, bank, name, fs::is_directory(bank) ? "" : "it is no folder"});
  }

  void MergeNew(const fs::path& local, Damage damage) {
    if (const fs::path merged = folder_.MergedBank(kind_); !merged.empty()) {
      CopyBank(merged, {}, local);
    }
    for (const std::string& target : Targets()) {
      MergeTarget(target, local);
    }
    for (const NewBank& bank : banks_) {
      if (bank.damage.empty()) {
        ++result_.merged;
        known_.insert(bank.name);
      } else if (damage == Damage::kSetAside) {
        SetAside(bank.item, bank.path, bank.damage);
      }
    }
    if (result_.merged > 0) {
      // First the bank, then the list: what a crash leaves between them is merged again, which adds
      // nothing.
      folder_.ReplaceMergedBank(kind_, local);
      WriteFileAtomically(list_, Join({known_.begin(), known_.end()}, "\n") + "\n");
    }
  }

  [[nodiscard]] std::set<std::string> Targets() const {
    std::set<std::string> targets;
    for (const NewBank& bank : banks_) {
      std::error_code code;
      for (const fs::directory_entry& target : fs::directory_iterator(bank.path, code)) {
        targets.insert(target.path().filename().string());
      }
    }
    return targets;
  }

  // All at once: the bank that they go into is opened and asked for its CPUs once.
  void MergeTarget(const std::string& target, const fs::path& local) {
    std::vector<NewBank*> banks;
    std::vector<fs::path> paths;
    for (NewBank& bank : banks_) {
      if (bank.damage.empty() && fs::exists(bank.path / target)) {
        banks.push_back(&bank);
        paths.push_back(bank.path);
      }
    }
    const std::vector<MergeOutcome> outcomes = MergeEach(paths, local, target);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (outcomes[i].error) {
        banks[i]->damage = outcomes[i].error->what();
      }
    }
  }

  void SetAside(const FleetItem& item, const fs::path& bank, std::string_view why) {
    const fs::path aside = folder_.path() / "set_aside" / kind_;
    const std::string name = fmt::format("{}.{}", item.network, folder_.round());
    int number = 1;
    while (!MoveFolder(bank, aside / fmt::format("{}.{}", name, number))) {
      ++number;
    }
    result_.damaged.push_back(
        fmt::format("the bank of '{}' is damaged and lies in '{}' now: {}", item.network,
                    (aside / fmt::format("{}.{}", name, number)).string(), why));
  }

  const FleetFolder& folder_;
  std::string kind_;
  fs::path list_;
  std::vector<NewBank> banks_;
  std::set<std::string> known_;  // results that are merged, a line each
  std::set<std::string> cpus_;
  MergeOfKind result_;
};

MergeOfKind MergeWith(const FleetFolder& folder, const std::string& kind, Damage damage) {
  const FileLock lock(folder.path() / "merged" / fmt::format(".{}.lock", kind));
  const TemporaryFolder local("the bank that is merged");
  return Merger(folder, kind).Run(local.path(), damage);
}

// Results of the round by the names of their folders; what is being written begins with a dot.
std::size_t CountResults(const FleetFolder& folder, const std::string& kind) {
  std::error_code code;
  std::size_t count = 0;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(folder.RoundFolder() / "results" / kind, code)) {
    count += entry.path().filename().string().starts_with('.') ? 0 : 1;
  }
  return count;
}

}  // namespace

MergeOfKind MergeKind(const FleetFolder& folder, const std::string& kind) {
  return MergeWith(folder, kind, Damage::kSetAside);
}

bool HasUnmerged(const FleetFolder& folder, const std::string& kind) {
  return Merger(folder, kind).has_new();
}

void MergeBetweenTasks(const FleetFolder& folder, const std::string& kind,
                       const std::function<void(std::string_view line)>& say) {
  try {
    const std::string of_round = fmt::format("{} ", folder.round());
    const std::set<std::string> known = KnownResults(MergedList(folder, kind));
    const auto merged = static_cast<std::size_t>(std::ranges::count_if(
        known, [&](const std::string& line) { return line.starts_with(of_round); }));
    const std::size_t results = CountResults(folder, kind);
    if (results >= merged + std::max<std::size_t>(merged, 1)) {
      MergeWith(folder, kind, Damage::kLeave);
    }
  } catch (const FileHeld&) {
    // The merge that runs does its work.
  } catch (const std::exception& error) {
    say(fmt::format("the banks of kind '{}' are merged later: {}", kind, SentenceOf(error)));
  }
}

std::string FormatMerge(const std::string& kind, const MergeOfKind& merge) {
  std::string text =
      fmt::format("{}: {} merged, {} known before", kind,
                  Counted(static_cast<std::int64_t>(merge.merged), "bank"), merge.known);
  if (!merge.missing.empty()) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(kMostNamed, merge.missing.size()); ++i) {
      names.push_back(merge.missing[i].network);
    }
    text += fmt::format(", {} without a result: {}{}", merge.missing.size(), Join(names, ", "),
                        merge.missing.size() > kMostNamed ? ", ..." : "");
  }
  text += "\n";
  if (merge.cpus.size() > 1) {
    text += fmt::format(
        "warning: the kind '{}' ran on {} models of CPU, whose latencies do not "
        "compare: {}; give each a kind of its own\n",
        kind, merge.cpus.size(), Join(merge.cpus, "; "));
  }
  for (const std::string& sentence : merge.damaged) {
    text += fmt::format("warning: {}\n", sentence);
  }
  return text;
}

}  // namespace halftone
