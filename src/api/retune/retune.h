// Check that a tuned front still holds after a change of the tool, the kernels, the CPU or the
// data. The shipped front is measured again; only operators whose kernels changed are searched
// again.
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
  // Share of the samples that is held out, as TuneOptions; the other samples judge the points. 1:
  // all samples judge the points and also count as held out, because no search has seen any of
  // them; requires that `search` is false.
  std::optional<double> heldout_share;
  // --confidence. Without an outer value: that of the front; without an inner value: nothing is
  // promised.
  std::optional<std::optional<double>> confidence;
  MeasureSettings measure;
  std::vector<double> shape_weights;  // as TuneOptions
  std::filesystem::path bank;         // --op_bank_path; empty: none, `front` or `point` is required
  std::filesystem::path seed_bank;    // as TuneOptions
  std::filesystem::path front;        // shipped front.json; empty: the newest front of the bank
  std::filesystem::path point;        // folder of the only shipped point; excludes `front`
  // Folder for retune.md, retune.json and the files of a new search; empty: none.
  std::filesystem::path output;
  std::vector<std::string> exports = PointModelFormats();  // as TuneOptions
  bool write_v2 = false;                                   // as TuneOptions
  std::string command;
  bool search = true;            // true: searches again if kernels changed
  std::size_t max_trials = 200;  // limit on the plans of that search, known plans included
  Budget budget;                 // limit on the plans of that search, or on the whole run's time
  std::vector<Gate> fail_if;     // gates on the new measurement of the shipped points
  std::optional<double> max_slowdown = kMaxSlowdown;  // --max_slowdown; empty: no limit
  // Operator tuning before the front is measured, as TuneOptions: changed kernels are timed again.
  OperatorTuningMode operator_tuning = OperatorTuningMode::kProfile;

  [[nodiscard]] bool from_bank() const { return front.empty() && point.empty(); }
};

// Shipped front with its measurements and their conditions.
struct ShippedFront {
  std::string source;  // "front of 2026-... in '/bank/host/halftone.db'", or the path of the file
  std::string recorded_at;
  std::string input_shapes;  // NamesOfProfiles()
  std::vector<Trial> members;
  std::optional<std::size_t> chosen;
  Constraints constraints;
  std::optional<double> reference_top1;
  // Confidence of the promises; empty: nothing was to be promised.
  std::optional<double> confidence = kPromiseConfidence;
  // Certificate of the chosen member; empty: there is none, or the source does not have it.
  std::optional<Certificate> promised;
  // Measurement conditions; empty or zero if the source does not have them.
  std::string tool_version;
  std::string isa;
  Hash128 kernel_table_hash;
  Hash128 data_hash;
  Hash128 kernel_choices;
  std::string cpu;                 // as Workload::cpu
  std::string kernels;             // KernelRecord() of the whole front, even if one_point
  bool one_point = false;          // true: `members` has one point of that front
  std::vector<std::string> notes;  // full sentences about the choice of the front
};

// Finds a front in the bank that was measured for the input shapes and the number of threads of
// `current`. Of several fronts, takes the one that ranks first by these criteria, in this order: of
// a network with the same content (a front of a network with the same name alone gives a note), of
// this CPU or an unknown one, of another workload than `current` (for example of another version or
// other data), the newest. Error kDatabase if there is none.
ShippedFront FindShippedFront(const Model& model, const std::filesystem::path& bank,
                              std::string_view soc_version, const Workload& current);
// Reads a front.json of `tune --output`, or of the folder `file`; the folders of the points must
// lie beside it. A network with other content than `model` gives a note. Does not compare input
// shapes. Errors: kIo; kUsage for another content, or for points of another target.
ShippedFront ReadShippedFront(const Model& model, const std::filesystem::path& file,
                              const TargetOptions& target);
// Reads the folder of a measured point (src/api/options/point.h). Otherwise as ReadShippedFront().
ShippedFront ReadShippedPoint(const Model& model, const std::filesystem::path& folder,
                              const TargetOptions& target);
// Reads the front that the options name, by one of the three functions above. `soc_version` and
// `current`: target and workload of this run. Errors as these functions; kUsage if the options name
// two sources, or the front in a file or folder has other input shapes than `current`.
ShippedFront LoadShippedFront(const Model& model, const RetuneOptions& options,
                              std::string_view soc_version, const Workload& current);

// "--min_sqnr_db=40", "--min_sqnr_db=40@95%".
std::string OptionOf(const PromisedBound& bound);

// Suffix of RetunedPoint::undecided if the budget was too short.
inline constexpr std::string_view kInThisTime = " in this time";

struct RetunedPoint {
  Trial before;
  Trial after;  // new measurement of the same candidate, or the reason why it cannot run any more
  bool shipped = false;  // true for the chosen point, and for all points if none is chosen
  bool measured = true;  // false: a stop or the budget left it out, and `after` means nothing
  // Changes beyond the uncertainty: "latency: 0.620 [0.615, 0.625] -> 0.702 [0.699, 0.705] of
  // float32, slower".
  std::vector<std::string> moved;
  // Clause: why it is not known whether the point got worse; empty: it is known.
  std::string undecided;
  // New latency over the shipped one, both in seconds; empty: one of them is not known.
  std::optional<double> slowdown;
  // Changes for the worse.
  bool rejected = false;  // it cannot run any more
  bool slower = false;
  bool less_accurate = false;
  // New accuracy on held-out samples; only for a front with bounds on accuracy.
  std::optional<Accuracy> heldout;
  bool as_float32 = false;                 // FrontPoint::as_float32
  std::optional<Certificate> certificate;  // new promises; only for the chosen point with `heldout`

  [[nodiscard]] bool worse() const { return rejected || slower || less_accurate; }
};

// Conditions of a comparison.
struct ComparedBy {
  std::int64_t samples = 0;             // number of samples of the new accuracy
  bool same_data = false;               // true: both measurements used the same samples
  LossMetric metric;                    // --metric, which is compared besides SQNR and top-1
  std::string anchor = kFloat32Anchor;  // Anchor::name, for sentences
};

// Compares two measurements of a configuration by the rules of
// docs/guide/continuous_integration.md.
RetunedPoint CompareMeasurements(const Trial& before, const Trial& after, const ComparedBy& by);

// Change of the anchor's latency, as measured beside the first member that can run.
struct AnchorChange {
  double before_s = 0;  // median
  double after_s = 0;   // median
  bool moved = false;   // the 95 % intervals of the medians are disjoint

  // New latency over the shipped one; empty: one of them is not known.
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
  const Vocabulary* words = &AllVocabularies()[0];  // vocabulary of the target; never null
  std::string anchor_name = kFloat32Anchor;         // Anchor::name
  std::string created_at;
  std::string command;
  ShippedFront front;
  std::optional<MetricSummary> metric;  // summary of --metric
  std::vector<std::string> changes;     // changed conditions: "halftone 0.1.0 -> 0.2.0"
  AnchorChange anchor;
  std::vector<RetunedPoint> points;
  std::int64_t heldout_count = 0;
  Accuracy heldout_reference;  // accuracy of float32; empty without held-out samples
  // Reasons why the shipped configuration does not hold, or why it was not judged; empty: nothing
  // shows that it does not hold.
  std::vector<std::string> failures;
  // Reasons why it is not known whether the shipped configuration holds.
  std::vector<std::string> undecided;
  std::optional<double> max_slowdown;  // --max_slowdown
  bool interrupted = false;            // stopped before the configuration was judged
  std::vector<GateResult> gates;       // gates of every shipped point
  std::string scope;                   // one sentence: extent of the new search, and why
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

// Measures the front again, the chosen point first, judges it, and searches again where that is
// needed. `profiles`: the network at the input shapes for which the front was tuned
// (src/api/shape_profiles.h). After a stop or the end of the budget, points may be left out
// (RetunedPoint::measured). Errors as Tune() and as the functions above.
RetuneResult Retune(std::span<const Model> profiles, const RetuneOptions& options,
                    const TuneCallbacks& callbacks = {});

inline RetuneResult Retune(const Model& model, const RetuneOptions& options,
                           const TuneCallbacks& callbacks = {}) {
  return Retune({&model, 1}, options, callbacks);
}

// Text for the screen, with tables of at most `columns`.
std::string FormatRetune(const RetuneResult& result, std::size_t columns = kColumnsOfFiles);
std::string FormatRetuneMarkdown(const RetuneResult& result);
std::string FormatRetuneJson(const RetuneResult& result);
// JUnit XML with one test case for the shipped configuration and one for each gate.
std::string FormatRetuneJUnit(const RetuneResult& result);
// Annotations for the verdict and for each failed gate.
std::vector<Annotation> AnnotationsOf(const RetuneResult& result);
// "the shipped configuration still holds"
std::string HoldsLine(const RetuneResult& result);
// Lines with the shipped and the new latency of float32, and of the shipped point with the largest
// slowdown.
std::vector<std::string> LatencyLines(const RetuneResult& result);

inline constexpr int kRetuneJsonSchemaVersion = 1;

}  // namespace halftone
