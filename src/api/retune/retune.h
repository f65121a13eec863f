// Check that a tuned front still holds after a change of the tool, the kernels, the CPU or the
// data: the shipped front is measured again, and searched again only where kernels changed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge_base/store.h"
#include "src/api/halftone.h"
#include "src/api/retune/slowdown.h"
#include "src/base/enum_table.h"
#include "src/exec/executable.h"
#include "src/report/annotations.h"

namespace halftone {

struct RetuneOptions {
  TargetOptions target;
  DatasetOptions data;
  std::optional<DatasetOptions> heldout;  // as TuneOptions
  // Share held out, as TuneOptions: points are judged on the other samples, as the search judged
  // them. 1: no search has seen any of the samples, so all of them judge the points and promise
  // bounds; then `search` must be off.
  std::optional<double> heldout_share;
  // --confidence, as TuneOptions (without an inner value: nothing is promised); empty: that of the
  // front.
  std::optional<std::optional<double>> confidence;
  MeasureSettings measure;
  std::vector<double> shape_weights;  // as TuneOptions
  std::filesystem::path bank;  // --op_bank_path; empty: none, then `front` or `point` is needed
  std::filesystem::path seed_bank;  // as TuneOptions
  std::filesystem::path front;      // the shipped front.json; empty: the newest front of the bank
  std::filesystem::path point;  // the folder of the only point that was shipped; excludes `front`
  std::filesystem::path
      output;  // retune.md, retune.json; after a search its files too; empty: none
  std::vector<std::string> exports = PointModelFormats();  // as TuneOptions
  bool write_v2 = false;                                   // as TuneOptions
  std::string command;
  bool search = true;            // where kernels changed
  std::size_t max_trials = 200;  // of that search, known plans included
  Budget budget;                 // as TuneOptions: plans of that search, or time of the whole
  std::vector<Gate> fail_if;     // on the shipped configuration as measured now
  std::optional<double> max_slowdown = kMaxSlowdown;  // --max_slowdown; empty: none
  // TuneOptions::operator_tuning, before the front is measured: a new version times its kernels
  // anew.
  OperatorTuningMode operator_tuning = OperatorTuningMode::kProfile;

  [[nodiscard]] bool from_bank() const { return front.empty() && point.empty(); }
};

// The front with its measurements and their conditions.
struct ShippedFront {
  std::string source;  // "front of 2026-... in '/bank/host/halftone.db'", or the path of the file
  std::string recorded_at;
  std::string input_shapes;  // names of several profiles joined by kBetweenShapes
  std::vector<Trial> members;
  std::optional<std::size_t> chosen;
  Constraints constraints;
  std::optional<double> reference_top1;
  // Confidence of its promises; empty: none was asked for.
  std::optional<double> confidence = kPromiseConfidence;
  // Certificate of the chosen member; empty: none, or missing in the source.
  std::optional<Certificate> promised;
  // Measurement conditions; empty or zero where the source lacks them.
  std::string tool_version;
  std::string isa;
  Hash128 kernel_table_hash;
  Hash128 data_hash;
  Hash128 kernel_choices;
  std::string cpu;                 // CpuName()
  std::string kernels;             // KernelRecord(), of all points where one was shipped
  bool one_point = false;          // only this one was shipped, of the points that `kernels` covers
  std::vector<std::string> notes;  // on the choice of the front, full sentences
};

// The newest front in the bank of this network at its input shapes, on as many threads, that was
// measured by another version or on other data than `current`; if there is none, the newest. Fronts
// of this CPU, or of an unknown one, come before those of others. Content identifies networks; if
// no front has this content, one of the same name and input shapes is taken, with a note. Error
// kDatabase: none.
ShippedFront FindShippedFront(const Model& model, const std::filesystem::path& bank,
                              std::string_view soc_version, const Workload& current);
// A front.json of `tune --output` with the folders of its points beside it. Errors kIo, kUsage: not
// such a file, or of another network.
ShippedFront ReadShippedFront(const Model& model, const std::filesystem::path& file,
                              const TargetOptions& target);
// The point of a folder (src/api/options/point.h), with its measurement conditions. Same errors.
// Neither compares input shapes with those of the model.
ShippedFront ReadShippedPoint(const Model& model, const std::filesystem::path& folder,
                              const TargetOptions& target);
// The front that the options name; `current` and `soc_version` are today's. Error kUsage also for
// two sources, and for a front of other input shapes than the model's.
ShippedFront LoadShippedFront(const Model& model, const RetuneOptions& options,
                              std::string_view soc_version, const Workload& current);

// "--min_sqnr_db=40", "--min_sqnr_db=40@95%".
std::string OptionOf(const PromisedBound& bound);

// End of RetunedPoint::undecided where time was short.
inline constexpr std::string_view kInThisTime = " in this time";

struct RetunedPoint {
  Trial before;
  Trial after;  // the same candidate, measured now; or the reason why it cannot run any more
  bool shipped = false;
  bool measured = true;  // false: there was no time; then `after` is no outcome
  // Changes outside the interval: "latency: 0.620 [0.615, 0.625] -> 0.702 [0.699, 0.705] of
  // float32, slower".
  std::vector<std::string> moved;
  // Reason why it is not known whether the point is slower, a clause; empty: it is known.
  std::string undecided;
  // Latency now over that of then, seconds over seconds; empty: not known then, or not measured.
  std::optional<double> slowdown;
  // Changes for the worse.
  bool rejected = false;  // it cannot run any more
  bool slower = false;
  bool less_accurate = false;
  std::optional<Accuracy> heldout;         // now; only with bounds on accuracy and held-out samples
  bool as_float32 = false;                 // now, as FrontPoint
  std::optional<Certificate> certificate;  // with `heldout`, of the chosen point: the promises now

  [[nodiscard]] bool worse() const { return rejected || slower || less_accurate; }
};

// Basis of comparison.
struct ComparedBy {
  std::int64_t samples = 0;             // that judge current accuracy
  bool same_data = false;               // as the shipped front
  LossMetric metric;                    // of --metric: judged besides SQNR and top-1
  std::string anchor = kFloat32Anchor;  // Anchor::name, for sentences
};

// Changes between two measurements of a configuration by the rules of
// docs/guide/continuous_integration.md.
RetunedPoint CompareMeasurements(const Trial& before, const Trial& after, const ComparedBy& by);

// Float32 beside the first member that can run.
struct AnchorChange {
  double before_s = 0;  // medians
  double after_s = 0;
  bool moved = false;  // their 95 % intervals are apart

  // Latency now over that of then; empty: one of them is not known.
  [[nodiscard]] std::optional<double> slowdown() const {
    return before_s > 0 && after_s > 0 ? std::optional(after_s / before_s) : std::nullopt;
  }
};

enum class RetuneVerdict : std::uint8_t { kHolds, kInconclusive, kDoesNotHold, kInterrupted };

inline constexpr EnumRow<RetuneVerdict> kRetuneVerdicts[] = {
    {RetuneVerdict::kHolds, "holds", "nothing shows that the shipped configuration is worse"},
    {RetuneVerdict::kInconclusive, "inconclusive",
     "the measurement is too uncertain to tell whether it is slower"},
    {RetuneVerdict::kDoesNotHold, "does_not_hold", "it is worse, or misses a bound"},
    {RetuneVerdict::kInterrupted, "interrupted", "it was not judged"},
};

struct RetuneResult {
  std::string model_name;
  std::string input_shapes;
  std::string target;
  const Vocabulary* words = &AllVocabularies()[0];  // of the target; never null
  std::string anchor_name = kFloat32Anchor;         // Anchor::name
  std::string created_at;
  std::string command;
  ShippedFront front;
  std::optional<MetricSummary> metric;  // of --metric
  std::vector<std::string> changes;     // in conditions: "halftone 0.1.0 -> 0.2.0"
  AnchorChange anchor;
  std::vector<RetunedPoint> points;
  std::int64_t heldout_count = 0;
  Accuracy heldout_reference;  // of float32; empty without held-out samples
  // Reasons why the shipped configuration fails, or why it was not judged; empty: it holds.
  std::vector<std::string> failures;
  // Reason why nothing shows whether it holds, though nothing shows that it fails.
  std::vector<std::string> undecided;
  std::optional<double> max_slowdown;  // --max_slowdown
  bool interrupted = false;            // before it was judged
  std::vector<GateResult> gates;       // of every shipped point
  std::string scope;                   // extent of the new search, and why, one sentence
  std::set<std::string> changed_nodes;
  std::optional<TuneSummary> search;
  std::vector<std::string> warnings;

  [[nodiscard]] RetuneVerdict verdict() const {
    return interrupted          ? RetuneVerdict::kInterrupted
           : !failures.empty()  ? RetuneVerdict::kDoesNotHold
           : !undecided.empty() ? RetuneVerdict::kInconclusive
                                : RetuneVerdict::kHolds;
  }

  [[nodiscard]] bool holds() const { return verdict() == RetuneVerdict::kHolds; }

  [[nodiscard]] bool passes_gates() const {
    return std::ranges::all_of(gates, &GateResult::passed);
  }
};

// Measures the front again at the input shapes of the network, those that it was tuned for
// (src/api/shape_profiles.h), the chosen point first. Errors as Tune() and as the functions above.
// An interrupted run, and one whose time ended, name the points that were not measured
// (RetunedPoint::measured).
RetuneResult Retune(std::span<const Model> profiles, const RetuneOptions& options,
                    const TuneCallbacks& callbacks = {});

inline RetuneResult Retune(const Model& model, const RetuneOptions& options,
                           const TuneCallbacks& callbacks = {}) {
  return Retune({&model, 1}, options, callbacks);
}

// For the screen, in lines of `columns` where it is a table.
std::string FormatRetune(const RetuneResult& result, std::size_t columns = kColumnsOfFiles);
std::string FormatRetuneMarkdown(const RetuneResult& result);
std::string FormatRetuneJson(const RetuneResult& result);
// A test case for the shipped configuration and one for each gate, as JUnit XML.
std::string FormatRetuneJUnit(const RetuneResult& result);
// The verdict, and each gate that failed.
std::vector<Annotation> AnnotationsOf(const RetuneResult& result);
// "the shipped configuration still holds"
std::string HoldsLine(const RetuneResult& result);
// Latencies then and now, seconds: of float32, and of the shipped point that became slowest.
std::vector<std::string> LatencyLines(const RetuneResult& result);

inline constexpr int kRetuneJsonSchemaVersion = 1;

}  // namespace halftone
