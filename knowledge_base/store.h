// Store of tuning runs behind one interface: SQLite on the disk, or memory for tests.
//
// A workload is the scope in which measurements may be compared: the same network, shapes, data,
// target, CPU, instruction set, kernels and tool. Its key is computed from content, never declared.
// Measurements are append-only: a trial measured again adds a row and the newest counts.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/operators/operator_profile.h"
#include "search/operators/operator_timing.h"
#include "search/probe/sensitivity.h"
#include "search/trial/constraints.h"
#include "search/trial/trial.h"
#include "src/base/hash.h"

namespace halftone {

struct Workload {
  std::string model_name;  // for people; not part of the key
  // Names, for "is it current?"; not part of the key, whose kernel_table_hash is of their kernels.
  // "Conv,Gemm"; empty: unknown, in older exports.
  std::string operators;
  Hash128 model_hash;        // graph and weights as imported
  std::string input_shapes;  // "data_0:1,3,224,224;mask:1,19"
  Hash128 data_hash;         // search samples and labels
  std::string target;        // "host"
  std::string isa;           // "avx2+avx512+avx512_bf16"
  // Hash of the kernels of the network's operators; without `operators`, of all kernels.
  Hash128 kernel_table_hash;
  std::string tool_version;  // "0.1.0"
  int threads = 0;
  // KernelChoices::Digest() of what operator tuning chose for this network; zero: nothing.
  Hash128 kernel_choices;
  // Name, vendor, family and model of the CPU that measured; empty: unknown, in older exports.
  std::string cpu;

  friend bool operator==(const Workload&, const Workload&) = default;
};

// Stable content hash of everything but model_name and operators; fixed by a golden test.
Hash128 KeyOf(const Workload& workload);

// Facts about a run that are no part of the key: CPU model, compiler, command line, started at.
using Provenance = std::map<std::string, std::string>;

struct StoredTrial {
  std::int64_t id = 0;
  std::string recorded_at;  // UTC, ISO 8601
  Trial trial;
};

// A trial that a front refers to. The plan alone would not do: another process may have measured it
// again before the front was written, and any process may later. A stored member has all three.
struct FrontMember {
  Hash128 plan_digest;
  // MeasurementHashOf() the row, by which banks that were merged or exported find it again; empty:
  // the newest measured trial of the plan.
  std::optional<Hash128> measurement_hash;
  std::int64_t trial_id = 0;  // StoredTrial::id; 0: any with this plan and measurement

  friend bool operator==(const FrontMember&, const FrontMember&) = default;
};

struct StoredFront {
  std::int64_t id = 0;
  Hash128 workload_key;
  std::string recorded_at;
  std::string strategy;
  Constraints constraints;
  std::optional<double> reference_top1;
  std::vector<FrontMember> members;   // fastest first
  std::optional<std::size_t> chosen;  // index into members: the fastest that meets the constraints
  Provenance provenance;

  friend bool operator==(const StoredFront&, const StoredFront&) = default;
};

struct WorkloadSummary {
  Hash128 key;
  Workload workload;
  std::int64_t trials = 0;   // as Trials() gives them: each plan counts once
  std::int64_t records = 0;  // as History() gives them
  std::int64_t fronts = 0;
  std::string last_recorded_at;
};

// The kernels that operators were timed with, and the CPU. The number of threads is part of a
// signature, and of a profile.
struct KernelVersion {
  std::string isa;
  Hash128 kernel_table_hash;
  std::string tool_version;
  std::string cpu;  // as Workload::cpu

  friend bool operator==(const KernelVersion&, const KernelVersion&) = default;
};

// A timing and the kernels that it holds for.
struct VersionedTiming {
  KernelVersion kernels;
  OperatorTiming timing;
};

struct StoredTiming {
  std::int64_t id = 0;
  std::string recorded_at;
  OperatorTiming timing;
};

struct TimingSummary {
  KernelVersion kernels;
  std::int64_t operators = 0;  // as OperatorTimings() gives them: each signature counts once
  std::int64_t tuned = 0;      // of these, with another kernel than that of the static order
  std::int64_t networks = 0;   // compared as a whole
  std::string last_recorded_at;
};

// Bytes of the scales, and of the histograms, of a calibration in a bank: those that their files
// may have (src/quantization/files).
inline constexpr std::int64_t kMostCalibrationBytes = std::int64_t{64} << 20;

// Scales of a network in 8 bits from samples. The bank does not look into the two texts.
struct BankCalibration {
  Hash128 key;               // of network, samples, methods, kernels and version
  Hash128 model_hash;        // as Workload::model_hash
  std::string operators;     // as Workload::operators
  KernelVersion kernels;     // of these operators; no cpu: scales are the same on all of them
  std::string quantization;  // quantization.json
  std::string histograms;    // histograms.json; empty: there is no record
  std::string cut;           // what time left out, a sentence; empty: nothing
  double had_s = 0;          // seconds that it had, where time left something out

  friend bool operator==(const BankCalibration&, const BankCalibration&) = default;
};

struct CalibrationSummary {
  KernelVersion kernels;
  Hash128 model_hash;
  std::int64_t bytes = 0;
  std::string recorded_at;
};

struct ProfileSummary {
  KernelVersion kernels;
  std::string op;
  int threads = 0;
  std::int64_t calls = 0;
  std::string recorded_at;
};

// Snapshot of a store: while it lives, all reads see the store as of one moment, whatever other
// processes write or remove. Nothing is written to the store meanwhile. The store must outlive it.
class StoreSnapshot {
 public:
  virtual ~StoreSnapshot() = default;
};

// Every write is one transaction that is on the disk when the call returns. Errors: kDatabase with
// one sentence that names the file. Not thread safe; several processes may use one bank at once.
//
// Another process may remove content at any time (prune_bank.h): each call by itself sees one
// moment, several of them only with a snapshot.
class TrialStore {
 public:
  virtual ~TrialStore() = default;

  // A snapshot for several related reads. One at a time.
  [[nodiscard]] virtual std::unique_ptr<StoreSnapshot> Snapshot() = 0;

  // Adds the workload and returns its key. Idempotent. Where another process removes the workload
  // later, additions to it through this object bring it back.
  virtual Hash128 AddWorkload(const Workload& workload) = 0;
  // Returns the StoredTrial::id.
  virtual std::int64_t AddTrial(const Hash128& workload_key, const Trial& trial) = 0;
  // Stores the front, whose id and recorded_at are assigned. Each member is a row of the store: the
  // one that trial_id names, or with 0 the newest of its plan and measurement; plan and measurement
  // of the stored member are those of that row, whatever the caller holds in memory. `trials`,
  // parallel to the members or empty, are stored for members whose row is not there (pruned by
  // another process meanwhile); without them such a member is an Error kDatabase and nothing is
  // stored.
  virtual void AddFront(const StoredFront& front, std::span<const Trial> trials = {}) = 0;

  // The newest trial of each plan (and each distinct rejection), oldest first.
  virtual std::vector<StoredTrial> Trials(const Hash128& workload_key) = 0;
  // Everything that was recorded, oldest first: a plan that was measured again comes more than
  // once.
  virtual std::vector<StoredTrial> History(const Hash128& workload_key) = 0;
  // The newest first.
  virtual std::vector<StoredFront> Fronts(const Hash128& workload_key) = 0;
  virtual std::vector<WorkloadSummary> Workloads() = 0;

  // Sensitivities that the probes of a search found; `decisions` is the digest of what was probed.
  // The newest counts.
  virtual void AddSensitivity(const Hash128& workload_key, const Hash128& decisions,
                              const Sensitivity& sensitivity) = 0;
  virtual std::optional<Sensitivity> FindSensitivity(const Hash128& workload_key,
                                                     const Hash128& decisions) = 0;

  // Timings of operators belong to no workload: networks share them. All are stored, or none.
  virtual void AddVersionedTimings(std::span<const VersionedTiming> timings) = 0;
  // The same for timings of one version.
  void AddOperatorTimings(const KernelVersion& kernels, std::span<const OperatorTiming> timings);
  // The newest of each signature, by signature.
  virtual std::vector<StoredTiming> OperatorTimings(const KernelVersion& kernels) = 0;
  // In the order in which the versions were first recorded.
  virtual std::vector<TimingSummary> OperatorTimingSummaries() = 0;

  // Profiles of operators belong to no workload either. The newest of a version, operator and
  // number of threads counts.
  virtual void AddOperatorProfile(const KernelVersion& kernels, const OperatorProfile& profile) = 0;
  virtual std::optional<OperatorProfile> FindOperatorProfile(const KernelVersion& kernels,
                                                             std::string_view op, int threads) = 0;
  // Summaries of the profiles that count, oldest first.
  virtual std::vector<ProfileSummary> OperatorProfileSummaries() = 0;

  // Calibrations belong to a network. Of those with a key the newest counts that time did not cut
  // short, else the newest.
  virtual void AddCalibration(const BankCalibration& calibration) = 0;
  // A damaged row is passed over where another has the key, else it is an Error kDatabase.
  virtual std::optional<BankCalibration> FindCalibration(const Hash128& model_hash,
                                                         const Hash128& key) = 0;
  // Summaries of the calibrations that count, oldest first.
  virtual std::vector<CalibrationSummary> CalibrationSummaries() = 0;
};

std::unique_ptr<TrialStore> MakeMemoryStore();

}  // namespace halftone
