// Fronts and points from files and knowledge bases, as `halftone compare` sees them.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "knowledge_base/front_trials.h"
#include "knowledge_base/sqlite_store.h"
#include "src/api/bank/kernel_record.h"
#include "src/api/compare/compare.h"
#include "src/api/options/point_record.h"
#include "src/api/report/measured_point.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/names_hint.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kMostFrontBytes = 256U << 20U;
constexpr std::string_view kFrontFile = "front.json";
constexpr std::string_view kDatabaseFile = "halftone.db";

Interval IntervalFrom(const json& value) {
  return {value.at(0).get<double>(), value.at(1).get<double>()};
}

std::map<std::string, ImplMode> ModesFrom(const json& names) {
  std::map<std::string, ImplMode> modes;
  for (const auto& [key, name] : names.items()) {
    if (const auto mode = ValueIn(kImplModes, name.get<std::string>())) {
      modes.emplace(key, *mode);
    }
  }
  return modes;
}

// The options, as far as a file has them.
PrecisionOptions OptionsFrom(const json& file) {
  PrecisionOptions options;
  options.precision_mode = file.at("precision_mode").get<std::string>();
  options.keep_dtype = file.at("keep_dtype").get<std::vector<std::string>>();
  if (file.contains("op_precision_mode")) {
    const json& modes = file.at("op_precision_mode");
    options.op_precision_given = true;
    options.impl_mode_by_type = ModesFrom(modes.at("ByOpType"));
    options.impl_mode_by_node = ModesFrom(modes.at("ByNodeName"));
  }
  if (file.contains("node_formats")) {
    options.node_formats = file.at("node_formats").get<std::map<std::string, std::string>>();
  }
  return options;
}

ComparedPoint PointFrom(const json& point, const Vocabulary& words) {
  ComparedPoint compared{.configuration = Summary(OptionsFrom(point.at("options")), words),
                         .plan_digest = point.at("plan_digest").get<std::string>(),
                         .chosen = point.at("chosen").get<bool>(),
                         .speed_up = point.at("speed_up").get<double>(),
                         .speed_up_interval = IntervalFrom(point.at("speed_up_interval")),
                         .accuracy = {},
                         .interval = {},
                         .kept_nodes = point.at("kept_nodes").get<std::vector<std::string>>()};
  for (const auto& [name, value] : point.at("accuracy").items()) {
    compared.accuracy[name] = value.at("mean").get<double>();
    if (const json& interval = value.at("mean_interval"); !interval.is_null()) {
      compared.interval[name] = IntervalFrom(interval);
    }
  }
  return compared;
}

std::string TextOf(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

ComparedFront FrontFrom(const json& document, std::string source) {
  ComparedFront front{.source = std::move(source), .facts = {}, .points = {}, .kernels = {}};
  const auto add = [&](std::string_view name, const json& value) {
    front.facts[std::string(name)] = TextOf(value);
  };
  const json& network = document.at("model");
  const json& target = document.at("target");
  add("network", network.at("name"));
  add("content of the network", network.at("hash"));
  add("input shapes", network.at("input_shapes"));
  add("halftone", document.at("tool").at("version"));
  add("target", target.at("soc_version"));
  add("CPU", target.at("cpu"));
  add("instruction sets", target.at("isa"));
  add("threads", target.at("threads"));
  if (document.contains("data")) {
    add("samples", document.at("data").at("samples"));
  }
  for (const auto& [name, bound] : document.at("constraints").items()) {
    if (!bound.is_null()) {
      add(name, bound);
    }
  }
  const Vocabulary& words = VocabularyOfTarget(TextOf(target.at("soc_version")));
  for (const json& point : document.at("front")) {
    front.points.push_back(PointFrom(point, words));
  }
  if (document.contains("kernels") && !document.at("kernels").is_null()) {
    front.kernels = document.at("kernels").get<std::map<std::string, std::string>>();
  }
  return front;
}

ComparedFront FromDocument(const std::string& text, const fs::path& path) {
  const json document = ParseStrictJson(text, path.string());
  return WithContext([&] { return fmt::format("'{}'", path.string()); },
                     [&] {
                       try {
                         return FrontFrom(document, path.string());
                       } catch (const json::exception& wrong) {
                         throw Error(ErrorKind::kUsage,
                                     fmt::format("expected the front.json or point.json of a "
                                                 "measured front: {}",
                                                 wrong.what()));
                       }
                     });
}

ComparedPoint PointOf(const Trial& trial, bool chosen, const Vocabulary& words) {
  const Measurement& measurement = *trial.measurement();
  ComparedPoint compared{.configuration = Summary(trial.candidate, words),
                         .plan_digest = trial.plan_digest.ToHex(),
                         .chosen = chosen,
                         .speed_up = measurement.latency.speed_up(),
                         .speed_up_interval = measurement.latency.speed_up_interval(),
                         .accuracy = {},
                         .interval = {},
                         .kept_nodes = trial.kept_nodes};
  for (const MetricValue& value : measurement.accuracy.metrics) {
    compared.accuracy[value.name] = value.mean;
    if (const auto interval = MeanInterval(value)) {
      compared.interval[value.name] = *interval;
    }
  }
  return compared;
}

// The only halftone.db below a folder, that of the host before others.
fs::path DatabaseIn(const fs::path& folder) {
  std::error_code error;
  fs::path host = folder / "host" / kDatabaseFile;
  if (fs::is_regular_file(host, error)) {
    return host;
  }
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (fs::is_regular_file(entry.path() / kDatabaseFile, error)) {
      found.push_back(entry.path() / kDatabaseFile);
    }
  }
  if (found.size() != 1) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format(
            "'{}': expected a folder with front.json, a point with point.json, or a "
            "knowledge base with one <soc_version>/halftone.db, found {}",
            folder.string(),
            found.empty() ? "none of them" : fmt::format("{} databases; name one", found.size())));
  }
  return found.front();
}

struct NewestFront {
  WorkloadSummary workload;
  StoredFront front;
};

std::vector<std::string> Unique(std::vector<std::string> names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// The newest front of the network; the only network where no name is given.
NewestFront NewestFrontIn(TrialStore& store, const fs::path& database, std::string_view network) {
  std::optional<NewestFront> newest;
  std::vector<std::string> names;
  std::vector<std::string> others;  // than the one named
  for (const WorkloadSummary& summary : store.Workloads()) {
    const std::string& name = summary.workload.model_name;
    if (summary.fronts == 0) {
      continue;
    }
    if (!network.empty() && name != network) {
      others.push_back(name);
      continue;
    }
    if (std::ranges::find(names, name) == names.end()) {
      names.push_back(name);
    }
    NewestFront found{summary, store.Fronts(summary.key).front()};
    const auto age = [](const NewestFront& each) {
      return std::pair(each.front.recorded_at, each.front.id);
    };
    if (!newest || age(*newest) < age(found)) {
      newest = std::move(found);
    }
  }
  if (!newest) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("'{}' holds no front{}{}", database.string(),
                            network.empty() ? "" : fmt::format(" of '{}'", Shown(network)),
                            NamesHint(network, Unique(std::move(others)))));
  }
  if (names.size() > 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("'{}' holds fronts of {} networks, {}: name one with --network",
                            database.string(), names.size(), Join(names, ", ")));
  }
  return *std::move(newest);
}

ComparedFront FromBank(const fs::path& database, std::string_view network) {
  const auto store = OpenSqliteStore(database, OpenMode::kReadOnly);
  const auto snapshot = store->Snapshot();
  const NewestFront found = NewestFrontIn(*store, database, network);
  const Workload& workload = found.workload.workload;
  ComparedFront front{
      .source = fmt::format("{}, front of {}", database.string(), found.front.recorded_at),
      .facts = {{"network", workload.model_name},
                {"content of the network", workload.model_hash.ToHex()},
                {"input shapes", workload.input_shapes},
                {"halftone", workload.tool_version},
                {"target", workload.target},
                {"CPU", workload.cpu},
                {"instruction sets", workload.isa},
                {"threads", std::to_string(workload.threads)}},
      .points = {},
      .kernels = {}};
  for (const BoundRow& row : AllBounds()) {
    if (found.front.constraints.*row.value) {
      front.facts[std::string(row.name)] = BoundText(row, found.front.constraints);
    }
  }
  if (const auto kernels = found.front.provenance.find("kernels");
      kernels != found.front.provenance.end()) {
    front.kernels = KernelsByNode(kernels->second);
  }
  const std::vector<StoredTrial> history = store->History(found.workload.key);
  const std::vector<const StoredTrial*> trials = TrialsOf(found.front, history, database);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    front.points.push_back(
        PointOf(trials[i]->trial, found.front.chosen == i, VocabularyOfTarget(workload.target)));
  }
  return front;
}

}  // namespace

const ComparedPoint* ComparedFront::subject() const {
  const auto chosen = std::ranges::find(points, true, &ComparedPoint::chosen);
  return chosen != points.end() ? &*chosen : points.size() == 1 ? &points.front() : nullptr;
}

ComparedFront ReadComparedFront(const fs::path& path, std::string_view network) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    if (fs::exists(path / kFrontFile, error)) {
      return FromDocument(ReadSmallFile(path / kFrontFile, kMostFrontBytes), path / kFrontFile);
    }
    if (fs::exists(path / kPointFile, error)) {
      return FromDocument(MeasuredIn(path), path);
    }
    return FromBank(DatabaseIn(path), network);
  }
  return path.extension() == ".db" ? FromBank(path, network)
                                   : FromDocument(ReadSmallFile(path, kMostFrontBytes), path);
}

}  // namespace halftone
