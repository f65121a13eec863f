// The front that `retune` measures again: from a bank or a front.json.
#include <fmt/format.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "knowledge_base/front_trials.h"
#include "knowledge_base/sqlite_store.h"
#include "src/api/bank/kernel_record.h"
#include "src/api/bank/workload.h"
#include "src/api/report/measured_point.h"
#include "src/api/retune/retune.h"
#include "src/api/shape_profiles.h"
#include "src/api/tune/answer_from_bank.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"

namespace halftone {
namespace {

using nlohmann::json;

constexpr std::uintmax_t kMostFrontBytes = 256U << 20U;

enum class Match { kNone, kName, kContent };

Match MatchOf(const Model& model, const Workload& current, const Workload& workload) {
  if (workload.input_shapes != current.input_shapes || workload.threads != current.threads ||
      IsOnRuntime(workload.cpu) != IsOnRuntime(current.cpu)) {
    return Match::kNone;
  }
  if (workload.model_hash == model.hash) {
    return Match::kContent;
  }
  return workload.model_name == model.name ? Match::kName : Match::kNone;
}

struct Found {
  Match match = Match::kNone;
  bool may_be_of_this_cpu = false;
  bool other_version = false;
  WorkloadSummary workload;
  StoredFront front;

  // Same content before same name, this CPU before others, other versions before this one, then the
  // newest.
  [[nodiscard]] auto rank() const {
    return std::tuple(match, may_be_of_this_cpu, other_version, front.recorded_at, front.id);
  }
};

std::optional<Found> FindFront(TrialStore& store, const Model& model, const Workload& current) {
  std::optional<Found> best;
  for (const WorkloadSummary& summary : store.Workloads()) {
    const Match match = MatchOf(model, current, summary.workload);
    if (match == Match::kNone || summary.fronts == 0) {
      continue;
    }
    Found found{match, MayBeOfThisCpu(summary.workload.cpu), summary.key != KeyOf(current), summary,
                store.Fronts(summary.key).front()};
    if (!best || best->rank() < found.rank()) {
      best = std::move(found);
    }
  }
  return best;
}

Latency LatencyFrom(const json& point) {
  return {.ratio = point.at("latency_ratio").get<double>(),
          .ratio_interval = {point.at("latency_ratio_interval").at(0).get<double>(),
                             point.at("latency_ratio_interval").at(1).get<double>()},
          .median_s = point.at("median_s").get<double>(),
          .anchor_median_s = point.at("reference_median_s").get<double>()};
}

struct NamedTarget {
  TargetOptions options;
  std::string name;
};

// A member of the front. `target` is the target of points that do not name one; error kUsage for a
// point of another target.
Trial TrialFrom(const json& point, const std::filesystem::path& folder, const NamedTarget& target) {
  Trial trial;
  const auto point_folder = folder / point.at("folder").get<std::string>();
  OptionSet set = LoadOptionSet(point_folder.string(), target.options);
  if (set.target.name != target.name) {
    throw Error(ErrorKind::kUsage,
                fmt::format("expected points of the target {} (--soc_version), '{}' is of {}; give "
                            "its --soc_version",
                            target.name, point_folder.string(), set.target.name));
  }
  trial.candidate.options = std::move(set.precision.options);
  trial.plan_digest =
      Hash128::FromHex(point.at("plan_digest").get<std::string>()).value_or(Hash128{});
  trial.kept_nodes = point.at("kept_nodes").get<std::vector<std::string>>();
  trial.low_precision_nodes = point.at("low_precision_nodes").get<std::vector<std::string>>();
  Measurement measurement;
  measurement.latency = LatencyFrom(point);
  for (const auto& [name, value] : point.at("accuracy").items()) {
    measurement.accuracy.metrics.push_back({.name = name,
                                            .mean = value.at("mean").get<double>(),
                                            .worst = value.at("worst").get<double>(),
                                            .worst_sample = value.at("worst_sample").get<int>()});
  }
  measurement.peak_arena_bytes = point.at("peak_arena_bytes").get<std::int64_t>();
  measurement.confirmed = point.at("confirmed").get<bool>();
  trial.outcome = std::move(measurement);
  return trial;
}

std::optional<double> OptionalFrom(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

// Certificate of the front; empty where nothing was certified. A limit that is null could not be
// found: nothing is promised.
std::optional<Certificate> CertificateFrom(const json& value) {
  if (value.is_null()) {
    return std::nullopt;
  }
  Certificate certificate{.samples = value.at("samples").get<std::size_t>(),
                          .confidence = value.at("confidence").get<double>(),
                          .bounds = {}};
  for (const json& bound : value.at("bounds")) {
    const json& limit = bound.at("limit");
    const auto name = bound.at("bound").get<std::string>();
    const double nothing =
        std::numeric_limits<double>::infinity() * (name.starts_with("min_") ? -1 : 1);
    certificate.bounds.push_back({.name = name,
                                  .asked = bound.at("asked").get<double>(),
                                  .share = OptionalFrom(bound.value("share", json())),
                                  .limit = limit.is_null() ? nothing : limit.get<double>(),
                                  .holds = bound.at("holds").get<bool>(),
                                  .statement = bound.at("statement").get<std::string>()});
  }
  return certificate;
}

// A front.json, or the part of it that a point has.
struct FrontDocument {
  json content;
  std::string where;             // for messages: "--front=front.json"
  std::string source;            // ShippedFront::source
  std::filesystem::path folder;  // that the folders of points are relative to
};

ShippedFront FrontFrom(const FrontDocument& from, const Model& model, const NamedTarget& target) {
  const json& document = from.content;
  if (const int schema = document.at("schema_version").get<int>();
      schema != kFrontJsonSchemaVersion) {
    throw Error(ErrorKind::kUsage,
                fmt::format("expected a front.json of schema {}, found {}; tune again",
                            kFrontJsonSchemaVersion, schema));
  }
  const json& network = document.at("model");
  ShippedFront front{.source = from.source,
                     .recorded_at = document.at("created_at").get<std::string>(),
                     .input_shapes = network.at("input_shapes").get<std::string>(),
                     .tool_version = document.at("tool").at("version").get<std::string>(),
                     .isa = document.at("target").at("isa").get<std::string>(),
                     .cpu = document.at("target").at("cpu").get<std::string>()};
  if (network.at("hash").get<std::string>() != model.hash.ToHex()) {
    front.notes.push_back(fmt::format(
        "'{}' is of a network with other content than --model (weights, graph, or how it is read)",
        from.source));
  }
  const json& bounds = document.at("constraints");
  for (const BoundMember& bound : kBoundMembers) {  // files of before do not have all
    front.constraints.*bound.value = OptionalFrom(bounds.value(std::string(bound.name), json()));
  }
  front.confidence = OptionalFrom(document.value("confidence", json(kPromiseConfidence)));
  front.reference_top1 = OptionalFrom(document.at("reference").at("top1"));
  if (const auto kernels = document.find("kernels");
      kernels != document.end() && !kernels->is_null()) {  // not there in files of before
    front.kernels = RecordOfKernels(kernels->get<std::map<std::string, std::string>>());
  }
  for (const json& point : document.at("front")) {
    if (point.at("chosen").get<bool>()) {
      front.chosen = front.members.size();
      front.promised = CertificateFrom(point.at("certificate"));
    }
    front.members.push_back(TrialFrom(point, from.folder, target));
  }
  return front;
}

// Certificate of the chosen point, computed today from the held-out values stored with the front.
std::optional<Certificate> PromisedThen(const StoredFront& stored, const ShippedFront& front) {
  if (!front.chosen || *front.chosen >= front.members.size() || !front.constraints.of_accuracy() ||
      !front.confidence) {
    return std::nullopt;
  }
  const Trial& chosen = front.members[*front.chosen];
  const auto values = HeldoutOf(stored, chosen.plan_digest);
  if (!values) {
    return std::nullopt;
  }
  const Measurement& measured = *chosen.measurement();
  return Certify(front.constraints,
                 {.latency = measured.latency,
                  .heldout = values->point,
                  .reference = values->reference,
                  .search = &measured.accuracy,
                  .as_float32 = values->as_float32},
                 {.confidence = *front.confidence});
}

// `shapes`: those of the run.
void RequireShapes(const ShippedFront& front, const std::string& shapes) {
  if (front.input_shapes == shapes) {
    return;
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("{} '{}': expected a front of the input shapes {} of --model, found one "
                          "of {}; give the --input_shape of then, once for each",
                          front.one_point ? "--point" : "--front", front.source, shapes,
                          front.input_shapes));
}

ShippedFront ReadDocument(const FrontDocument& document, const Model& model,
                          const TargetOptions& target) {
  return WithContext([&] { return document.where; },
                     [&] {
                       try {
                         return FrontFrom(document, model, {target, LoadTarget(target).name});
                       } catch (const json::exception& error) {
                         throw Error(ErrorKind::kUsage,
                                     fmt::format("expected the front.json that `halftone tune "
                                                 "--output` writes: {}",
                                                 error.what()));
                       }
                     });
}

}  // namespace

ShippedFront FindShippedFront(const Model& model, const std::filesystem::path& bank,
                              std::string_view soc_version, const Workload& current) {
  const std::filesystem::path database = DatabasePath(bank, soc_version);
  const auto store = OpenSqliteStore(database, OpenMode::kReadOnly);
  const auto snapshot = store->Snapshot();
  const auto found = FindFront(*store, model, current);
  if (!found) {
    throw Error(
        ErrorKind::kDatabase,
        fmt::format("the knowledge base '{}' holds no front of '{}' with input shapes {} on {}; "
                    "run `halftone tune` on it first, or name a front.json with --front",
                    database.string(), model.name, current.input_shapes,
                    Counted(current.threads, "thread")));
  }
  const Workload& workload = found->workload.workload;
  ShippedFront front{
      .source = fmt::format("front of {} in '{}'", found->front.recorded_at, database.string()),
      .recorded_at = found->front.recorded_at,
      .input_shapes = workload.input_shapes,
      .members = {},
      .chosen = found->front.chosen,
      .constraints = found->front.constraints,
      .reference_top1 = found->front.reference_top1,
      .tool_version = workload.tool_version,
      .isa = workload.isa,
      .kernel_table_hash = workload.kernel_table_hash,
      .data_hash = workload.data_hash,
      .kernel_choices = workload.kernel_choices,
      .cpu = workload.cpu};
  if (const auto kernels = found->front.provenance.find("kernels");
      kernels != found->front.provenance.end()) {
    front.kernels = kernels->second;
  }
  if (const auto confidence = found->front.provenance.find("confidence");
      confidence != found->front.provenance.end()) {
    front.confidence = ParseConfidence(confidence->second);
  }
  if (found->match == Match::kName) {
    front.notes.push_back(
        fmt::format("no front is of this content of '{}' (weights, graph, or how it is read): the "
                    "newest of its "
                    "name and input shapes is taken",
                    model.name));
  }
  const std::vector<StoredTrial> history = store->History(found->workload.key);
  for (const StoredTrial* stored : TrialsOf(found->front, history, database)) {
    front.members.push_back(stored->trial);
  }
  front.promised = PromisedThen(found->front, front);
  return front;
}

ShippedFront ReadShippedFront(const Model& model, const std::filesystem::path& given,
                              const TargetOptions& target) {
  std::error_code error;  // what cannot be looked at is said when it is read
  const std::filesystem::path file =
      std::filesystem::is_directory(given, error) ? given / "front.json" : given;
  return ReadDocument(
      {.content = ParseStrictJson(ReadSmallFile(file, kMostFrontBytes), file.string()),
       .where = fmt::format("--front={}", file.string()),
       .source = file.string(),
       .folder = file.parent_path()},
      model, target);
}

ShippedFront ReadShippedPoint(const Model& model, const std::filesystem::path& folder,
                              const TargetOptions& target) {
  std::string where = fmt::format("--point={}", folder.string());
  ShippedFront front =
      ReadDocument({.content = WithContext([&] { return where; },
                                           [&] { return json::parse(MeasuredIn(folder)); }),
                    .where = where,
                    .source = folder.string(),
                    .folder = folder},
                   model, target);
  front.one_point = true;
  return front;
}

ShippedFront LoadShippedFront(const Model& model, const RetuneOptions& options,
                              std::string_view soc_version, const Workload& current) {
  if (!options.front.empty() && !options.point.empty()) {
    throw Error(ErrorKind::kUsage, "--front and --point exclude each other");
  }
  if (options.from_bank()) {
    return FindShippedFront(model, options.bank, soc_version, current);
  }
  ShippedFront front = options.point.empty()
                           ? ReadShippedFront(model, options.front, options.target)
                           : ReadShippedPoint(model, options.point, options.target);
  RequireShapes(front, current.input_shapes);
  return front;
}

}  // namespace halftone
