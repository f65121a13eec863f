// Store in memory: for tests, and for runs without a bank.
#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <set>

#include "knowledge_base/front_trials.h"
#include "knowledge_base/storable.h"
#include "knowledge_base/store.h"

namespace halftone {
namespace {

std::string NowUtc() {
  const auto now = std::chrono::system_clock::now();
  const auto whole = std::chrono::floor<std::chrono::seconds>(now);
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now - whole);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(whole)),
                     milliseconds.count());
}

class MemoryStore : public TrialStore {
 public:
  // Nobody else can change it.
  std::unique_ptr<StoreSnapshot> Snapshot() override { return std::make_unique<StoreSnapshot>(); }

  Hash128 AddWorkload(const Workload& workload) override {
    const Hash128 key = KeyOf(workload);
    if (Find(key) == nullptr) {
      entries_.push_back({key, workload, {}, {}, NowUtc(), {}});
    }
    return key;
  }

  std::int64_t AddTrial(const Hash128& workload_key, const Trial& trial) override {
    CheckStorable(trial);
    Entry& entry = At(workload_key);
    entry.last_recorded_at = NowUtc();
    return entry.trials.emplace_back(StoredTrial{++last_id_, entry.last_recorded_at, trial}).id;
  }

  void AddFront(const StoredFront& front, std::span<const Trial> trials) override {
    CheckStorable(front, trials);
    Entry& entry = At(front.workload_key);
    StoredFront linked = front;
    for (FrontMember& member : linked.members) {
      const StoredTrial* row = FindMember(entry.trials, member);
      if (row == nullptr) {
        if (trials.empty()) {
          ThrowUnknownMember(member);
        }
        const auto index = static_cast<std::size_t>(&member - linked.members.data());
        row = &entry.trials.emplace_back(StoredTrial{++last_id_, NowUtc(), trials[index]});
      }
      member = MemberOf(*row);
    }
    entry.last_recorded_at = NowUtc();
    linked.id = ++last_id_;
    linked.recorded_at = entry.last_recorded_at;
    entry.fronts.push_back(std::move(linked));
  }

  std::vector<StoredTrial> Trials(const Hash128& workload_key) override {
    const Entry* entry = Find(workload_key);
    if (entry == nullptr) {
      return {};
    }
    std::vector<StoredTrial> newest;
    std::set<std::string> seen;
    for (auto trial = entry->trials.rbegin(); trial != entry->trials.rend(); ++trial) {
      if (seen.insert(IdentityOf(trial->trial)).second) {
        newest.push_back(*trial);
      }
    }
    std::reverse(newest.begin(), newest.end());
    return newest;
  }

  std::vector<StoredTrial> History(const Hash128& workload_key) override {
    const Entry* entry = Find(workload_key);
    return entry == nullptr ? std::vector<StoredTrial>() : entry->trials;
  }

  std::vector<StoredFront> Fronts(const Hash128& workload_key) override {
    const Entry* entry = Find(workload_key);
    if (entry == nullptr) {
      return {};
    }
    return {entry->fronts.rbegin(), entry->fronts.rend()};
  }

  std::vector<WorkloadSummary> Workloads() override {
    std::vector<WorkloadSummary> summaries;
    for (const Entry& entry : entries_) {
      summaries.push_back({.key = entry.key,
                           .workload = entry.workload,
                           .trials = std::ssize(Trials(entry.key)),
                           .records = std::ssize(entry.trials),
                           .fronts = std::ssize(entry.fronts),
                           .last_recorded_at = entry.last_recorded_at});
    }
    return summaries;
  }

  void AddSensitivity(const Hash128& workload_key, const Hash128& decisions,
                      const Sensitivity& sensitivity) override {
    At(workload_key).sensitivities.insert_or_assign(decisions, sensitivity);
  }

  std::optional<Sensitivity> FindSensitivity(const Hash128& workload_key,
                                             const Hash128& decisions) override {
    const Entry* entry = Find(workload_key);
    if (entry == nullptr || !entry->sensitivities.contains(decisions)) {
      return std::nullopt;
    }
    return entry->sensitivities.at(decisions);
  }

  void AddVersionedTimings(std::span<const VersionedTiming> timings) override {
    for (const VersionedTiming& versioned : timings) {
      CheckStorable(versioned.timing);
    }
    for (const auto& [kernels, timing] : timings) {
      timings_.emplace_back(kernels, StoredTiming{++last_id_, NowUtc(), timing});
    }
  }

  std::vector<StoredTiming> OperatorTimings(const KernelVersion& kernels) override {
    std::map<std::string, StoredTiming> newest;
    for (const auto& [version, stored] : timings_) {
      if (version == kernels) {
        newest.insert_or_assign(stored.timing.signature, stored);
      }
    }
    std::vector<StoredTiming> timings;
    timings.reserve(newest.size());
    for (auto& [signature, stored] : newest) {
      timings.push_back(std::move(stored));
    }
    return timings;
  }

  std::vector<TimingSummary> OperatorTimingSummaries() override {
    std::vector<TimingSummary> summaries;
    for (const auto& [version, stored] : timings_) {
      const auto known = std::find_if(
          summaries.begin(), summaries.end(),
          [&, &of = version](const TimingSummary& summary) { return summary.kernels == of; });
      TimingSummary& summary = known != summaries.end() ? *known : summaries.emplace_back();
      summary = {.kernels = version, .last_recorded_at = stored.recorded_at};
    }
    for (TimingSummary& summary : summaries) {
      for (const StoredTiming& stored : OperatorTimings(summary.kernels)) {
        ++(stored.timing.of_network() ? summary.networks : summary.operators);
        summary.tuned += stored.timing.tuned() ? 1 : 0;
      }
    }
    return summaries;
  }

  void AddOperatorProfile(const KernelVersion& kernels, const OperatorProfile& profile) override {
    CheckStorable(profile);
    profiles_.push_back({kernels, NowUtc(), profile});
  }

  std::optional<OperatorProfile> FindOperatorProfile(const KernelVersion& kernels,
                                                     std::string_view op, int threads) override {
    for (auto stored = profiles_.rbegin(); stored != profiles_.rend(); ++stored) {
      const OperatorProfile& profile = stored->profile;
      if (stored->kernels == kernels && profile.op == op && profile.threads == threads) {
        return profile;
      }
    }
    return std::nullopt;
  }

  std::vector<ProfileSummary> OperatorProfileSummaries() override {
    std::vector<ProfileSummary> summaries;
    for (const VersionedProfile& stored : profiles_) {
      const OperatorProfile& profile = stored.profile;
      std::erase_if(summaries, [&](const ProfileSummary& older) {
        return older.kernels == stored.kernels && older.op == profile.op &&
               older.threads == profile.threads;
      });
      summaries.push_back({.kernels = stored.kernels,
                           .op = profile.op,
                           .threads = profile.threads,
                           .calls = std::ssize(profile.calls),
                           .recorded_at = stored.recorded_at});
    }
    return summaries;
  }

  void AddCalibration(const BankCalibration& calibration) override {
    CheckStorable(calibration);
    const auto known = std::ranges::find_if(calibrations_, [&](const DatedCalibration& stored) {
      return stored.calibration.key == calibration.key &&
             stored.calibration.model_hash == calibration.model_hash;
    });
    if (known == calibrations_.end()) {
      calibrations_.push_back({NowUtc(), calibration});
    } else if (calibration.cut.empty() || !known->calibration.cut.empty()) {
      *known = {NowUtc(), calibration};
    }
  }

  std::optional<BankCalibration> FindCalibration(const Hash128& model_hash,
                                                 const Hash128& key) override {
    for (const DatedCalibration& stored : calibrations_) {
      if (stored.calibration.key == key && stored.calibration.model_hash == model_hash) {
        return stored.calibration;
      }
    }
    return std::nullopt;
  }

  std::vector<CalibrationSummary> CalibrationSummaries() override {
    std::vector<CalibrationSummary> summaries;
    for (const auto& [recorded_at, calibration] : calibrations_) {
      summaries.push_back(
          {.kernels = calibration.kernels,
           .model_hash = calibration.model_hash,
           .bytes = std::ssize(calibration.quantization) + std::ssize(calibration.histograms),
           .recorded_at = recorded_at});
    }
    return summaries;
  }

 private:
  struct Entry {
    Hash128 key;
    Workload workload;
    std::vector<StoredTrial> trials;  // all measurements, oldest first
    std::vector<StoredFront> fronts;
    std::string last_recorded_at;
    std::map<Hash128, Sensitivity> sensitivities;  // by decisions
  };

  struct VersionedProfile {
    KernelVersion kernels;
    std::string recorded_at;
    OperatorProfile profile;
  };

  struct DatedCalibration {
    std::string recorded_at;
    BankCalibration calibration;
  };

  Entry* Find(const Hash128& key) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.key == key; });
    return found == entries_.end() ? nullptr : &*found;
  }

  Entry& At(const Hash128& key) {
    Entry* entry = Find(key);
    if (entry == nullptr) {
      ThrowUnknownWorkload(key);
    }
    return *entry;
  }

  std::vector<Entry> entries_;
  std::vector<std::pair<KernelVersion, StoredTiming>> timings_;  // oldest first
  std::vector<VersionedProfile> profiles_;                       // likewise
  std::vector<DatedCalibration> calibrations_;                   // that count
  std::int64_t last_id_ = 0;
};

}  // namespace

std::unique_ptr<TrialStore> MakeMemoryStore() {
  return std::make_unique<MemoryStore>();
}

}  // namespace halftone
