#include "knowledge_base/record_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "knowledge_base/candidate_json.h"
#include "knowledge_base/checksum.h"
#include "knowledge_base/profile_json.h"
#include "knowledge_base/record_identity.h"
#include "knowledge_base/runtime_json.h"
#include "knowledge_base/sensitivity_json.h"
#include "knowledge_base/storable.h"
#include "knowledge_base/text_json.h"
#include "src/base/error.h"
#include "src/base/printable.h"

namespace halftone {
namespace {

using nlohmann::json;

[[noreturn]] void Throw(std::string_view message) {
  throw Error(ErrorKind::kDatabase, message);
}

// An error of the record's form, apart from those of damage.
[[noreturn]] void ThrowForm(std::string_view why) {
  throw Error(ErrorKind::kUnsupported, why);
}

// What a parser of a field does not know is a matter of form: the checksum tells damage.
template <typename Body>
auto OfForm(Body&& body) {
  try {
    return body();
  } catch (const Error& error) {
    ThrowForm(error.what());
  }
}

void RequireStorable(const std::string& flaw) {
  if (!flaw.empty()) {
    Throw(fmt::format("the record is of nothing that is stored: {}", flaw));
  }
}

Hash128 HashFrom(const json& value) {
  const auto text = value.get<std::string>();
  const auto hash = Hash128::FromHex(text);
  if (!hash) {
    Throw(fmt::format("'{}' stands where a hash is expected", text));
  }
  return *hash;
}

json OptionalToJson(const std::optional<double>& value) {
  return value ? json(*value) : json();
}

std::optional<double> OptionalFrom(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

json IntervalToJson(const Interval& interval) {
  return {interval.low, interval.high};
}

Interval IntervalFrom(const json& value) {
  return {value.at(0).get<double>(), value.at(1).get<double>()};
}

std::string TimeFrom(const json& value) {
  auto text = value.get<std::string>();
  if (!IsRecordTime(text)) {
    Throw(
        fmt::format("recorded_at: expected a time as 2026-01-31T12:00:00.000Z, found '{}'", text));
  }
  return text;
}

void CheckSum(const json& row, const Hash128& actual) {
  if (HashFrom(row.at("checksum")) != actual) {
    Throw("the record does not match its checksum: the file was changed or damaged; export again");
  }
}

json ToJson(const WorkloadRecord& record) {
  const Workload& workload = record.workload;
  return {{"key", KeyOf(workload).ToHex()},
          {"recorded_at", record.recorded_at},
          {"model_name", TextToJson(workload.model_name)},
          {"operators", TextToJson(workload.operators)},
          {"model_hash", workload.model_hash.ToHex()},
          {"input_shapes", TextToJson(workload.input_shapes)},
          {"data_hash", workload.data_hash.ToHex()},
          {"target", TextToJson(workload.target)},
          {"isa", TextToJson(workload.isa)},
          {"kernel_table_hash", workload.kernel_table_hash.ToHex()},
          {"tool_version", TextToJson(workload.tool_version)},
          {"threads", workload.threads},
          {"kernel_choices", workload.kernel_choices.ToHex()},
          {"cpu", TextToJson(workload.cpu)}};
}

// A text that older exports do not have, or that is only written where it is not empty (compared).
std::string LaterText(const json& row, const char* name) {
  const auto text = row.find(name);
  return text != row.end() ? TextFromJson(*text) : "";
}

WorkloadRecord WorkloadFrom(const json& row) {
  WorkloadRecord record{.recorded_at = TimeFrom(row.at("recorded_at")),
                        .workload = {.model_name = TextFromJson(row.at("model_name")),
                                     .operators = LaterText(row, "operators"),
                                     .model_hash = HashFrom(row.at("model_hash")),
                                     .input_shapes = TextFromJson(row.at("input_shapes")),
                                     .data_hash = HashFrom(row.at("data_hash")),
                                     .target = TextFromJson(row.at("target")),
                                     .isa = TextFromJson(row.at("isa")),
                                     .kernel_table_hash = HashFrom(row.at("kernel_table_hash")),
                                     .tool_version = TextFromJson(row.at("tool_version")),
                                     .threads = row.at("threads").get<int>(),
                                     .kernel_choices = HashFrom(row.at("kernel_choices")),
                                     .cpu = LaterText(row, "cpu")}};
  if (KeyOf(record.workload) != HashFrom(row.at("key"))) {
    Throw("the workload does not match its key: the file was changed or damaged; export again");
  }
  return record;
}

json MeasurementToJson(const Measurement& measurement) {
  const Latency& latency = measurement.latency;
  json metrics = json::array();
  for (const MetricValue& metric : measurement.accuracy.metrics) {
    metrics.push_back({{"name", TextToJson(metric.name)},
                       {"mean", metric.mean},
                       {"worst", metric.worst},
                       {"worst_sample", metric.worst_sample}});
    const std::span<const double> values = StoredValues(measurement, metric);
    if (!values.empty()) {
      metrics.back()["values"] = std::vector<double>(values.begin(), values.end());
    }
  }
  json record = {{"ratio", latency.ratio},
                 {"ratio_interval", IntervalToJson(latency.ratio_interval)},
                 {"median_s", latency.median_s},
                 {"anchor_median_s", latency.anchor_median_s},
                 {"candidate_samples_s", latency.candidate_samples_s},
                 {"anchor_samples_s", latency.anchor_samples_s},
                 {"peak_arena_bytes", measurement.peak_arena_bytes},
                 {"confirmed", measurement.confirmed},
                 {"raced", latency.raced},
                 {"other_cores", OptionalToJson(latency.other_cores)},
                 {"metrics", metrics}};
  if (measurement.runtime) {
    record["runtime"] = RuntimeRunToJson(*measurement.runtime);
  }
  return record;
}

Measurement MeasurementFrom(const json& value) {
  Measurement measurement;
  measurement.latency = {
      .ratio = value.at("ratio").get<double>(),
      .ratio_interval = IntervalFrom(value.at("ratio_interval")),
      .median_s = value.at("median_s").get<double>(),
      .anchor_median_s = value.at("anchor_median_s").get<double>(),
      .candidate_samples_s = value.at("candidate_samples_s").get<std::vector<double>>(),
      .anchor_samples_s = value.at("anchor_samples_s").get<std::vector<double>>()};
  measurement.peak_arena_bytes = value.at("peak_arena_bytes").get<std::int64_t>();
  measurement.confirmed = value.at("confirmed").get<bool>();
  measurement.latency.raced = value.value("raced", false);
  if (const auto other_cores = value.find("other_cores"); other_cores != value.end()) {
    measurement.latency.other_cores = OptionalFrom(*other_cores);
  }
  if (const auto runtime = value.find("runtime"); runtime != value.end()) {
    measurement.runtime = OfForm([&] { return RuntimeRunFrom(*runtime); });
  }
  for (const json& metric : value.at("metrics")) {
    measurement.accuracy.metrics.push_back(
        {.name = TextFromJson(metric.at("name")),
         .mean = metric.at("mean").get<double>(),
         .worst = metric.at("worst").get<double>(),
         .worst_sample = metric.at("worst_sample").get<std::int64_t>(),
         .values = metric.value("values", std::vector<double>())});
  }
  return measurement;
}

json ToJson(const TrialRecord& record) {
  const Trial& trial = record.trial;
  json row = {{"workload", record.workload_key.ToHex()},
              {"recorded_at", record.recorded_at},
              {"plan_digest", trial.plan_digest.ToHex()},
              {"candidate", json::parse(CandidateToJson(trial.candidate))},
              {"low_precision_nodes", TextsToJson(trial.low_precision_nodes)},
              {"kept_nodes", TextsToJson(trial.kept_nodes)},
              {"checksum", ChecksumOf(trial).ToHex()}};
  if (const Measurement* measurement = trial.measurement()) {
    row["measurement"] = MeasurementToJson(*measurement);
  } else {
    row["rejection"] = TextToJson(trial.rejection()->reason);
  }
  return row;
}

TrialRecord TrialFrom(const json& row) {
  TrialRecord record{.workload_key = HashFrom(row.at("workload")),
                     .recorded_at = TimeFrom(row.at("recorded_at")),
                     .trial = {}};
  Trial& trial = record.trial;
  const TrialTexts texts = {.candidate = row.at("candidate").dump(),
                            .low_precision_nodes = row.at("low_precision_nodes").dump(),
                            .kept_nodes = row.at("kept_nodes").dump()};
  trial.candidate = OfForm([&] { return CandidateFromJson(texts.candidate); });
  trial.plan_digest = HashFrom(row.at("plan_digest"));
  trial.low_precision_nodes = TextsFromJson(row.at("low_precision_nodes"));
  trial.kept_nodes = TextsFromJson(row.at("kept_nodes"));
  if (row.contains("measurement")) {
    trial.outcome = MeasurementFrom(row.at("measurement"));
  } else {
    trial.outcome = Rejection{TextFromJson(row.at("rejection"))};
  }
  RequireStorable(FlawOf(trial));
  // The first exports left out whether a measurement was raced, which its checksum covers.
  if (auto* measured = std::get_if<Measurement>(&trial.outcome);
      measured != nullptr && !row.at("measurement").contains("raced")) {
    measured->latency.raced = HashFrom(row.at("checksum")) != ChecksumOf(trial, texts);
  }
  CheckSum(row, ChecksumOf(trial, texts));
  return record;
}

json ToJson(const FrontRecord& record) {
  const StoredFront& front = record.front;
  json members = json::array();
  for (const FrontMember& member : front.members) {
    members.push_back(
        {{"plan_digest", member.plan_digest.ToHex()},
         {"measurement_hash",
          member.measurement_hash ? json(member.measurement_hash->ToHex()) : json()}});
  }
  json provenance = json::object();
  for (const auto& [name, value] : front.provenance) {
    provenance[name] = TextToJson(value);
  }
  json line = {{"workload", front.workload_key.ToHex()},
               {"recorded_at", front.recorded_at},
               {"strategy", TextToJson(front.strategy)},
               {"reference_top1", OptionalToJson(front.reference_top1)},
               {"chosen", front.chosen ? json(*front.chosen) : json()},
               {"members", members},
               {"provenance", provenance},
               {"checksum", ChecksumOf(front).ToHex()}};
  for (const BoundMember& bound : kBoundMembers) {
    line[std::string(bound.name)] = OptionalToJson(front.constraints.*bound.value);
  }
  return line;
}

FrontRecord FrontFrom(const json& row) {
  StoredFront front{.id = 0,
                    .workload_key = HashFrom(row.at("workload")),
                    .recorded_at = TimeFrom(row.at("recorded_at")),
                    .strategy = TextFromJson(row.at("strategy")),
                    .constraints = {},
                    .reference_top1 = OptionalFrom(row.at("reference_top1")),
                    .members = {},
                    .chosen = {},
                    .provenance = {}};
  for (const BoundMember& bound : kBoundMembers) {
    front.constraints.*bound.value = OptionalFrom(row.value(std::string(bound.name), json()));
  }
  for (const json& member : row.at("members")) {
    const json& hash = member.at("measurement_hash");
    front.members.push_back(
        {.plan_digest = HashFrom(member.at("plan_digest")),
         .measurement_hash = hash.is_null() ? std::nullopt : std::optional(HashFrom(hash))});
  }
  if (const json& chosen = row.at("chosen"); !chosen.is_null()) {
    front.chosen = chosen.get<std::size_t>();
  }
  for (const auto& [name, value] : row.at("provenance").items()) {
    front.provenance.emplace(name, TextFromJson(value));
  }
  RequireStorable(FlawOf(front));
  CheckSum(row, ChecksumOf(front));
  return {std::move(front)};
}

json ToJson(const SensitivityRecord& record) {
  const std::string content = SensitivityToJson(record.sensitivity);
  return {{"workload", record.workload_key.ToHex()},
          {"recorded_at", record.recorded_at},
          {"decisions", record.decisions.ToHex()},
          {"content", json::parse(content)},
          {"checksum", ChecksumOf(record.decisions, content).ToHex()}};
}

SensitivityRecord SensitivityFrom(const json& row) {
  const std::string content = row.at("content").dump();
  SensitivityRecord record{.workload_key = HashFrom(row.at("workload")),
                           .recorded_at = TimeFrom(row.at("recorded_at")),
                           .decisions = HashFrom(row.at("decisions")),
                           .sensitivity = OfForm([&] { return SensitivityFromJson(content); })};
  CheckSum(row, ChecksumOf(record.decisions, content));
  return record;
}

json ToJson(const TimingRecord& record) {
  const OperatorTiming& timing = record.timing;
  json row = {{"isa", TextToJson(record.kernels.isa)},
              {"kernel_table_hash", record.kernels.kernel_table_hash.ToHex()},
              {"tool_version", TextToJson(record.kernels.tool_version)},
              {"cpu", TextToJson(record.kernels.cpu)},
              {"recorded_at", record.recorded_at},
              {"signature", TextToJson(timing.signature)},
              {"static_kernel", TextToJson(timing.static_kernel)},
              {"kernel", TextToJson(timing.kernel)},
              {"ratio", timing.ratio},
              {"ratio_interval", IntervalToJson(timing.ratio_interval)},
              {"rounds", timing.rounds},
              {"static_s", timing.static_s},
              {"checksum", ChecksumOf(record.kernels, timing).ToHex()}};
  if (!timing.compared.empty()) {
    row["compared"] = TextToJson(timing.compared);
  }
  return row;
}

KernelVersion KernelsFrom(const json& row) {
  return {.isa = TextFromJson(row.at("isa")),
          .kernel_table_hash = HashFrom(row.at("kernel_table_hash")),
          .tool_version = TextFromJson(row.at("tool_version")),
          .cpu = LaterText(row, "cpu")};
}

TimingRecord TimingFrom(const json& row) {
  TimingRecord record{.kernels = KernelsFrom(row),
                      .recorded_at = TimeFrom(row.at("recorded_at")),
                      .timing = {.signature = TextFromJson(row.at("signature")),
                                 .static_kernel = TextFromJson(row.at("static_kernel")),
                                 .kernel = TextFromJson(row.at("kernel")),
                                 .ratio = row.at("ratio").get<double>(),
                                 .ratio_interval = IntervalFrom(row.at("ratio_interval")),
                                 .rounds = row.at("rounds").get<int>(),
                                 .static_s = row.at("static_s").get<double>(),
                                 .compared = LaterText(row, "compared")}};
  RequireStorable(FlawOf(record.timing));
  CheckSum(row, ChecksumOf(record.kernels, record.timing));
  return record;
}

json ToJson(const ProfileRecord& record) {
  const auto& [kernels, recorded_at, profile] = record;
  const std::string content = CallsToJson(profile.calls);
  return {{"isa", TextToJson(kernels.isa)},
          {"kernel_table_hash", kernels.kernel_table_hash.ToHex()},
          {"tool_version", TextToJson(kernels.tool_version)},
          {"cpu", TextToJson(kernels.cpu)},
          {"recorded_at", recorded_at},
          {"op", TextToJson(profile.op)},
          {"threads", profile.threads},
          {"content", json::parse(content)},
          {"checksum", ChecksumOf(kernels, profile.op, profile.threads, content).ToHex()}};
}

ProfileRecord ProfileFrom(const json& row) {
  const std::string content = row.at("content").dump();
  ProfileRecord record{.kernels = KernelsFrom(row),
                       .recorded_at = TimeFrom(row.at("recorded_at")),
                       .profile = {.op = TextFromJson(row.at("op")),
                                   .threads = row.at("threads").get<int>(),
                                   .calls = OfForm([&] { return CallsFromJson(content); })}};
  const OperatorProfile& profile = record.profile;
  RequireStorable(FlawOf(profile));
  CheckSum(row, ChecksumOf(record.kernels, profile.op, profile.threads, content));
  return record;
}

json ToJson(const CalibrationRow& record) {
  const BankCalibration& calibration = record.calibration;
  return {{"key", calibration.key.ToHex()},
          {"model_hash", calibration.model_hash.ToHex()},
          {"operators", TextToJson(calibration.operators)},
          {"isa", TextToJson(calibration.kernels.isa)},
          {"kernel_table_hash", calibration.kernels.kernel_table_hash.ToHex()},
          {"tool_version", TextToJson(calibration.kernels.tool_version)},
          {"recorded_at", record.recorded_at},
          {"quantization", TextToJson(calibration.quantization)},
          {"histograms", TextToJson(calibration.histograms)},
          {"cut", TextToJson(calibration.cut)},
          {"had_s", calibration.had_s},
          {"checksum", ChecksumOf(calibration).ToHex()}};
}

CalibrationRow CalibrationFrom(const json& row) {
  CalibrationRow record{.recorded_at = TimeFrom(row.at("recorded_at")),
                        .calibration = {.key = HashFrom(row.at("key")),
                                        .model_hash = HashFrom(row.at("model_hash")),
                                        .operators = TextFromJson(row.at("operators")),
                                        .kernels = KernelsFrom(row),
                                        .quantization = TextFromJson(row.at("quantization")),
                                        .histograms = TextFromJson(row.at("histograms")),
                                        .cut = TextFromJson(row.at("cut")),
                                        .had_s = row.at("had_s").get<double>()}};
  if (const std::string flaw = FlawOf(record.calibration); !flaw.empty()) {
    Throw("calibration: " + flaw);
  }
  CheckSum(row, ChecksumOf(record.calibration));
  return record;
}

template <auto Function>
BankRecord RecordFrom(const json& row) {
  return Function(row);
}

// Readers by index of BankRecord.
constexpr BankRecord (*kReaders[])(const json&) = {
    RecordFrom<WorkloadFrom>,    RecordFrom<TrialFrom>,  RecordFrom<FrontFrom>,
    RecordFrom<SensitivityFrom>, RecordFrom<TimingFrom>, RecordFrom<ProfileFrom>,
    RecordFrom<CalibrationFrom>};
static_assert(std::size(kReaders) == kRecordKinds);

std::size_t KindNamed(const std::string& name) {
  const auto* const found = std::ranges::find(kRecordNames, name);
  if (found == kRecordNames.end()) {
    Throw(fmt::format("the row '{}' is not known: it was exported by a newer halftone", name));
  }
  return static_cast<std::size_t>(found - kRecordNames.begin());
}

// Whether brackets stand in each other deeper than in any record: the library writes JSON by
// recursion.
bool IsDeep(std::string_view line) {
  constexpr int kMostLevels = 64;
  int levels = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < line.size() && levels <= kMostLevels; ++i) {
    const char c = line[i];
    if (in_text && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_text = !in_text;
    } else if (!in_text) {
      levels += static_cast<int>(c == '[' || c == '{') - static_cast<int>(c == ']' || c == '}');
    }
  }
  return levels > kMostLevels;
}

[[noreturn]] void ThrowNoLine(std::string_view why) {
  Throw(fmt::format("not a line of `halftone bank export`: {}", why));
}

// The library's sentence without its code in brackets.
std::string_view ReasonOf(const json::exception& error) {
  const std::string_view text = error.what();
  const std::size_t code = text.find("] ");
  return code == std::string_view::npos ? text : text.substr(code + 2);
}

UnreadRecord Unread(std::size_t kind, const json& row, std::string_view why) {
  UnreadRecord unread{.kind = kind, .workload_key = {}, .why = std::string(why)};
  if (kind == KindOf<WorkloadRecord>()) {
    unread.workload_key = HashFrom(row.at("key"));
  }
  return unread;
}

std::variant<BankRecord, UnreadRecord> RowFrom(std::size_t kind, const json& row) {
  try {
    return kReaders[kind](row);
  } catch (const json::exception& error) {
    return Unread(kind, row, ReasonOf(error));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) {
      throw;
    }
    return Unread(kind, row, error.what());
  }
}

}  // namespace

std::string RecordToJson(const BankRecord& record) {
  try {
    json row = std::visit([](const auto& known) { return ToJson(known); }, record);
    row["row"] = std::string(kRecordNames.at(record.index()));
    return PrintableJson(row.dump());  // an export may go to a terminal
  } catch (const json::exception& error) {
    Throw(fmt::format("a {} cannot be written as JSON: {}", kRecordNames.at(record.index()),
                      error.what()));
  }
}

std::variant<BankRecord, UnreadRecord> RecordFromJson(std::string_view line) {
  if (IsDeep(line)) {
    ThrowNoLine("it has more levels of brackets than any record");
  }
  try {
    const json row = json::parse(line);
    return RowFrom(KindNamed(row.at("row").get<std::string>()), row);
  } catch (const json::exception& error) {
    ThrowNoLine(error.what());
  }
}

}  // namespace halftone
