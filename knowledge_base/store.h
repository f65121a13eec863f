// Store of tuning runs: one interface with an implementation on the disk (sqlite_store.h), and one
// in memory for tests and for runs without a bank.
//
// A workload is the scope in which measurements may be compared: the same network, shapes, data,
// target, CPU, instruction set, kernels, threads and tool. Its key is a hash of these. Measurements
// are append-only: a trial that is measured again adds a row, and the newest row counts.
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
  // Names of the network's operators, "Conv,Gemm"; empty: unknown, in older exports. Not part of
  // the key, because kernel_table_hash already depends on them.
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
  // KernelChoices::Digest() of the kernels that operator tuning chose for this network; zero: it
  // chose none.
  Hash128 kernel_choices;
  // Name, vendor, family and model of the CPU that measured, or the figures by which the latency of
  // a device is predicted; empty: unknown, in older exports.
  std::string cpu;

  friend bool operator==(const Workload&, const Workload&) = default;
};

// Stable hash of everything but model_name and operators. A golden test fixes its values.
Hash128 KeyOf(const Workload& workload);

// Facts about a run by name, for people: compiler, command line, samples used, CPU. The key of the
// workload alone decides which measurements may be compared.
using Provenance = std::map<std::string, std::string>;

struct StoredTrial {
  std::int64_t id = 0;
  std::string recorded_at;  // UTC, ISO 8601
  Trial trial;
};

// Reference of a front to a trial. The plan alone is ambiguous: another process may measure it
// again before or after the front is written. In a stored front all three fields are set.
struct FrontMember {
  Hash128 plan_digest;
  // MeasurementHashOf() the trial. It finds the trial in merged and imported banks, where ids
  // differ. Empty: any measurement of the plan.
  std::optional<Hash128> measurement_hash;
  std::int64_t trial_id = 0;  // StoredTrial::id; 0: the newest with this plan and measurement

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
  std::int64_t trials = 0;   // number of Trials(): each plan counts once
  std::int64_t records = 0;  // number of trials in History()
  std::int64_t fronts = 0;
  std::string last_recorded_at;  // of the workload, its trials and its fronts
};

// Kernels that operators were timed with, and the CPU. The number of threads is not part of it:
// signatures and profiles have their own.
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
  // Number of operators in OperatorTimings(): each signature counts once.
  std::int64_t operators = 0;
  std::int64_t tuned = 0;     // operators whose kernel differs from that of the static order
  std::int64_t networks = 0;  // timings of whole networks (OperatorTiming::of_network())
  std::string last_recorded_at;
};

// Most bytes of the scales, and of the histograms, of a stored calibration: as many as their files
// may have (src/quantization/files).
inline constexpr std::int64_t kMostCalibrationBytes = std::int64_t{64} << 20;

// Calibration of a network: scales in 8 bits, computed from samples. The bank does not parse the
// two texts.
struct BankCalibration {
  Hash128 key;               // hash of network, samples, methods, kernels and version
  Hash128 model_hash;        // as Workload::model_hash
  std::string operators;     // as Workload::operators
  KernelVersion kernels;     // of these operators; cpu is empty: scales do not depend on it
  std::string quantization;  // content of quantization.json
  std::string histograms;    // content of histograms.json; empty: not recorded
  std::string cut;           // what a time limit left out, a sentence; empty: nothing
  double had_s = 0;          // that time limit in seconds

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
// processes write or delete. The owner of the store must not write to it meanwhile: Error
// kInternal. The store must outlive the snapshot.
class StoreSnapshot {
 public:
  virtual ~StoreSnapshot() = default;
};

// Every write is one transaction, which is on the disk when the call returns. Errors are kDatabase,
// one sentence that names the file, and kInternal for values with a flaw (storable.h). A store is
// not thread-safe; several processes may use one bank at once.
//
// Another process may delete content at any time (prune_bank.h). Each call sees the store as of one
// moment; several calls see the same moment only during a snapshot.
class TrialStore {
 public:
  virtual ~TrialStore() = default;

  // Begins a snapshot for several related reads. One snapshot may live at a time.
  [[nodiscard]] virtual std::unique_ptr<StoreSnapshot> Snapshot() = 0;

  // Adds the workload unless it is stored, and returns its key. If another process deletes the
  // workload later, additions to it through this object add it again.
  virtual Hash128 AddWorkload(const Workload& workload) = 0;
  // Returns the StoredTrial::id. Here and below, an addition to an unknown workload is an Error
  // kDatabase, and a read of an unknown workload returns nothing.
  virtual std::int64_t AddTrial(const Hash128& workload_key, const Trial& trial) = 0;
  // Stores the front and assigns its id and recorded_at. FindMember() (front_trials.h) finds the
  // stored trial of each member, and the stored member refers to that trial by all three fields.
  // A trial is missing if another process deleted it, or if its plan or hash differ from those of
  // the member. `trials` is parallel to the members, or empty. A missing trial is taken from
  // `trials` and added to the store; if `trials` is empty, it is an Error kDatabase and nothing is
  // stored.
  virtual void AddFront(const StoredFront& front, std::span<const Trial> trials = {}) = 0;

  // The newest trial of each plan, and of each distinct rejection without a plan, oldest first.
  virtual std::vector<StoredTrial> Trials(const Hash128& workload_key) = 0;
  // All recorded trials, oldest first. A plan that was measured again comes more than once.
  virtual std::vector<StoredTrial> History(const Hash128& workload_key) = 0;
  // All fronts, the newest first.
  virtual std::vector<StoredFront> Fronts(const Hash128& workload_key) = 0;
  virtual std::vector<WorkloadSummary> Workloads() = 0;

  // Adds a sensitivity that the probes of a search found. `decisions` is the digest of the
  // decisions that were probed; the newest sensitivity of a digest counts.
  virtual void AddSensitivity(const Hash128& workload_key, const Hash128& decisions,
                              const Sensitivity& sensitivity) = 0;
  virtual std::optional<Sensitivity> FindSensitivity(const Hash128& workload_key,
                                                     const Hash128& decisions) = 0;

  // Adds all of the timings, or none. They belong to no workload: networks share them.
  virtual void AddVersionedTimings(std::span<const VersionedTiming> timings) = 0;
  // The same for timings of one version.
  void AddOperatorTimings(const KernelVersion& kernels, std::span<const OperatorTiming> timings);
  // The newest timing of each signature for these kernels, sorted by signature.
  virtual std::vector<StoredTiming> OperatorTimings(const KernelVersion& kernels) = 0;
  // One summary for each version of kernels, in the order in which they were first recorded.
  virtual std::vector<TimingSummary> OperatorTimingSummaries() = 0;

  // Adds the profile of an operator. Profiles belong to no workload either. For each version,
  // operator and number of threads the newest profile counts.
  virtual void AddOperatorProfile(const KernelVersion& kernels, const OperatorProfile& profile) = 0;
  virtual std::optional<OperatorProfile> FindOperatorProfile(const KernelVersion& kernels,
                                                             std::string_view op, int threads) = 0;
  // Summaries of the profiles that count, oldest first.
  virtual std::vector<ProfileSummary> OperatorProfileSummaries() = 0;

  // Adds a calibration of a network. Of the calibrations with one key, the newest with an empty
  // `cut` counts; if all were cut short, the newest counts.
  virtual void AddCalibration(const BankCalibration& calibration) = 0;
  // The calibration that counts; empty if there is none. If its row is damaged, the next best one
  // with the key is returned; if all are damaged, Error kDatabase.
  virtual std::optional<BankCalibration> FindCalibration(const Hash128& model_hash,
                                                         const Hash128& key) = 0;
  // Summaries of the calibrations that count, oldest first.
  virtual std::vector<CalibrationSummary> CalibrationSummaries() = 0;
};

std::unique_ptr<TrialStore> MakeMemoryStore();

}  // namespace halftone
