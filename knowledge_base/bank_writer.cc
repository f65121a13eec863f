#include "knowledge_base/bank_writer.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <utility>

#include "knowledge_base/checksum.h"
#include "knowledge_base/record_identity.h"
#include "knowledge_base/storable.h"

namespace halftone {
namespace {

// How an index finds the records of a kind that may be one: a condition with a parameter for each
// of NarrowedBy().
struct LookupRow {
  std::string_view by;
  bool of_workload = false;  // the first parameter is the workload's id
};

LookupRow LookupOf(std::size_t kind) {
  static const std::array<LookupRow, kRecordKinds> kRows = {
      {{},
       {"workload_id = ? AND identity = ?", true},
       {"workload_id = ?", true},
       {"workload_id = ? AND decisions = ?", true},
       {"isa = ? AND kernel_table_hash = ? AND tool_version = ? AND cpu = ? AND signature = ?"},
       {"isa = ? AND kernel_table_hash = ? AND tool_version = ? AND cpu = ? AND op = ?"},
       {"model_hash = ? AND key = ?"}}};
  return kRows.at(kind);
}

std::vector<std::string> NarrowedBy(const TrialRecord& record) {
  return {IdentityOf(record.trial)};
}

std::vector<std::string> NarrowedBy(const FrontRecord& /*record*/) {
  return {};
}

std::vector<std::string> NarrowedBy(const SensitivityRecord& record) {
  return {record.decisions.ToHex()};
}

std::vector<std::string> ByKernels(const KernelVersion& kernels, const std::string& name) {
  return {kernels.isa, kernels.kernel_table_hash.ToHex(), kernels.tool_version, kernels.cpu, name};
}

std::vector<std::string> NarrowedBy(const TimingRecord& record) {
  return ByKernels(record.kernels, record.timing.signature);
}

std::vector<std::string> NarrowedBy(const ProfileRecord& record) {
  return ByKernels(record.kernels, record.profile.op);
}

std::vector<std::string> NarrowedBy(const CalibrationRow& record) {
  return {record.calibration.model_hash.ToHex(), record.calibration.key.ToHex()};
}

Hash128 IdentityHash(std::size_t kind, const Hash128& workload, const std::string& recorded_at,
                     const Hash128& content) {
  return Hasher()
      .Add(static_cast<std::int64_t>(kind))
      .Add(workload)
      .Add(recorded_at)
      .Add(content)
      .Finish();
}

}  // namespace

struct BankWriter::Lookup {
  Lookup(SQLite::Database& connection, std::size_t kind)
      : last_old(
            connection
                .execAndGet(fmt::format("SELECT ifnull(max(id), 0) FROM {}", kRecordNames.at(kind)))
                .getInt64()),
        count(connection,
              fmt::format("SELECT count(*) FROM {} WHERE {} AND recorded_at = ? AND checksum = ? "
                          "AND id <= ?",
                          kRecordNames.at(kind), LookupOf(kind).by)) {}

  std::int64_t last_old;    // id: what comes later is of this source
  SQLite::Statement count;  // of the old records with this content and time
};

BankWriter::BankWriter(SQLite::Database& connection)
    : connection_(connection), trials_(connection) {
  for (std::size_t kind = 1; kind < kRecordKinds; ++kind) {  // workloads have keys
    lookups_.at(kind) = std::make_unique<Lookup>(connection, kind);
  }
}

BankWriter::~BankWriter() = default;

bool BankWriter::Add(const BankRecord& record) {
  return std::visit([&](const auto& known) { return AddRecord(known); }, record);
}

std::optional<std::int64_t> BankWriter::FindOld(const Hash128& workload_key) {
  const KnownWorkload* found = Find(workload_key);
  return found == nullptr || found->is_new ? std::nullopt : std::optional(found->id);
}

template <typename Record>
bool BankWriter::AddRecord(const Record& record) {
  const Hash128 workload = WorkloadKeyOf(record);
  if (workload == Hash128{} || !Get(workload).is_new) {
    const Hash128 content = ContentHash(record);
    const std::int64_t old = CountOld(record, content);
    if (old > 0 &&
        ++seen_[IdentityHash(KindOf<Record>(), workload, RecordedAt(record), content)] <= old) {
      return false;
    }
  }
  Insert(record);
  return true;
}

bool BankWriter::AddRecord(const WorkloadRecord& record) {
  const Hash128 key = KeyOf(record.workload);
  if (Find(key) == nullptr) {
    InsertWorkload(connection_, key, record.recorded_at, record.workload);
    workloads_.insert_or_assign(
        key, KnownWorkload{.id = WorkloadIdOf(connection_, key).value(), .is_new = true});
    return true;
  }
  TakeEarlierName(connection_, key, record.recorded_at, record.workload);
  return false;
}

template <typename Record>
std::int64_t BankWriter::CountOld(const Record& record, const Hash128& content) {
  constexpr std::size_t kKind = KindOf<Record>();
  Lookup& lookup = *lookups_.at(kKind);
  int parameter = 0;
  if (LookupOf(kKind).of_workload) {
    lookup.count.bind(++parameter, Get(WorkloadKeyOf(record)).id);
  }
  for (const std::string& value : NarrowedBy(record)) {
    lookup.count.bind(++parameter, value);
  }
  const std::string& recorded_at = RecordedAt(record);
  lookup.count.bind(++parameter, recorded_at);
  lookup.count.bind(++parameter, RowChecksum(content, recorded_at).ToHex());
  lookup.count.bind(++parameter, lookup.last_old);
  lookup.count.executeStep();
  const std::int64_t count = lookup.count.getColumn(0).getInt64();
  lookup.count.reset();
  return count;
}

const BankWriter::KnownWorkload* BankWriter::Find(const Hash128& key) {
  if (const auto found = workloads_.find(key); found != workloads_.end()) {
    return &found->second;
  }
  const auto id = WorkloadIdOf(connection_, key);
  return id ? &workloads_.emplace(key, KnownWorkload{.id = *id}).first->second : nullptr;
}

const BankWriter::KnownWorkload& BankWriter::Get(const Hash128& key) {
  const KnownWorkload* found = Find(key);
  if (found == nullptr) {
    ThrowUnknownWorkload(key);
  }
  return *found;
}

void BankWriter::Insert(const TrialRecord& record) {
  CheckStorable(record.trial);
  trials_.Insert(Get(record.workload_key).id, record.recorded_at, record.trial);
}

void BankWriter::Insert(const FrontRecord& record) {
  CheckStorable(record.front);
  const std::int64_t workload_id = Get(record.front.workload_key).id;
  StoredFront linked = record.front;
  for (FrontMember& member : linked.members) {
    member.trial_id = 0;  // a row of the other bank
    const auto trial = SelectMemberTrial(connection_, workload_id, member);
    if (!trial) {
      ThrowUnknownMember(member);
    }
    member = MemberOf(*trial);
  }
  InsertFront(connection_, workload_id, linked.recorded_at, linked);
}

void BankWriter::Insert(const SensitivityRecord& record) {
  InsertSensitivity(connection_, Get(record.workload_key).id, record.recorded_at, record.decisions,
                    record.sensitivity);
}

void BankWriter::Insert(const TimingRecord& record) {
  CheckStorable(record.timing);
  InsertTiming(connection_, record.kernels, record.recorded_at, record.timing);
}

void BankWriter::Insert(const ProfileRecord& record) {
  CheckStorable(record.profile);
  InsertProfile(connection_, record.kernels, record.recorded_at, record.profile);
}

void BankWriter::Insert(const CalibrationRow& record) {
  CheckStorable(record.calibration);
  InsertCalibration(connection_, record.recorded_at, record.calibration);
}

}  // namespace halftone
