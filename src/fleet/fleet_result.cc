#include "src/fleet/fleet_result.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "src/base/enum_table.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"
#include "src/fleet/fleet_names.h"

namespace halftone {
namespace {

constexpr std::uintmax_t kMostReportBytes = 256U << 20U;  // of front.json, retune.json

using Json = nlohmann::json;                 // what is read
using OrderedJson = nlohmann::ordered_json;  // what is written

constexpr int kResultFormat = 1;

constexpr EnumRow<TaskEnd> kEndNames[] = {
    {TaskEnd::kDone, "done"},
    {TaskEnd::kBoundsNotMet, "bounds not met"},
    {TaskEnd::kGateFailed, "gate failed"},
    {TaskEnd::kHolds, "holds"},
    {TaskEnd::kInconclusive, "inconclusive"},
    {TaskEnd::kSearchedAgain, "searched again"},
    {TaskEnd::kFailed, "failed"},
    {TaskEnd::kDied, "died"},
};

OrderedJson Optional(const std::optional<double>& value) {
  return value ? OrderedJson(*value) : OrderedJson(nullptr);
}

std::optional<double> OptionalFrom(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

// Without what JSON has no number for, as in front.json.
OrderedJson AccuracyToJson(const std::map<std::string, double>& accuracy) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [name, mean] : accuracy) {
    if (std::isfinite(mean)) {
      json[name] = mean;
    }
  }
  return json;
}

OrderedJson PointToJson(const FleetPoint& point) {
  return {{"speed_up", point.speed_up},
          {"speed_up_interval", {point.speed_up_low, point.speed_up_high}},
          {"latency_s", point.latency_s},
          {"chosen", point.chosen},
          {"accuracy", AccuracyToJson(point.accuracy)},
          {"digest", point.digest},
          {"folder", point.folder}};
}

FleetPoint PointFromJson(const Json& json) {
  const Json& interval = json.at("speed_up_interval");
  return {.speed_up = json.at("speed_up"),
          .speed_up_low = interval.at(0),
          .speed_up_high = interval.at(1),
          .latency_s = json.at("latency_s"),
          .chosen = json.at("chosen"),
          .accuracy = json.at("accuracy"),
          .digest = json.at("digest"),
          .folder = json.at("folder")};
}

void TakeAccuracy(const Json& json, FleetPoint& point) {
  point.accuracy.clear();
  for (const auto& [name, metric] : json.items()) {
    if (metric.at("mean").is_number()) {  // null: not finite
      point.accuracy[name] = metric.at("mean");
    }
  }
}

FleetPoint PointOfFront(const Json& json) {
  const Json& interval = json.at("speed_up_interval");
  FleetPoint point = {.speed_up = json.at("speed_up"),
                      .speed_up_low = interval.at(0),
                      .speed_up_high = interval.at(1),
                      .latency_s = json.at("median_s"),
                      .chosen = json.at("chosen"),
                      .accuracy = {},
                      .digest = json.at("plan_digest"),
                      .folder = json.at("folder")};
  TakeAccuracy(json.at("accuracy"), point);
  return point;
}

// Error kUsage: it has no speed-up.
double SpeedUpOf(const Json& latency_ratio) {
  const double speed_up = 1 / latency_ratio.get<double>();
  if (!(speed_up > 0) || !std::isfinite(speed_up)) {
    throw Error(ErrorKind::kUsage, fmt::format("a latency ratio of {}; expected a number above 0",
                                               latency_ratio.dump()));
  }
  return speed_up;
}

void TakeAgain(const Json& after, FleetPoint& point) {
  const Json& interval = after.at("latency_ratio_interval");
  point.speed_up = SpeedUpOf(after.at("latency_ratio"));
  point.speed_up_low = SpeedUpOf(interval.at(1));
  point.speed_up_high = SpeedUpOf(interval.at(0));
  point.latency_s = after.at("median_s");
  TakeAccuracy(after.at("accuracy"), point);
}

std::string VerdictOf(const Json& json) {
  std::vector<std::string> found;
  for (const Json& failure : json.at("failures")) {
    found.push_back(failure);
  }
  for (const Json& reason : json.value("undecided", Json::array())) {  // 0.1.0 has none
    found.push_back(reason);
  }
  if (found.empty()) {
    return json.at("holds").get<bool>() ? "holds" : "does not hold";
  }
  return Join(found, "; ");
}

void TakeFront(const Json& json, FleetResult& result) {
  const Json& target = json.at("target");
  const Json& search = json.at("search");
  result.version = json.at("tool").at("version");
  result.cpu = target.at("cpu");
  result.isa = target.at("isa");
  result.target = target.at("soc_version");
  result.other_cores = OptionalFrom(json.at("machine").at("other_cores"));
  result.model_hash = json.at("model").at("hash");
  result.samples = json.at("data").at("samples");
  result.measured = search.at("measured");
  result.known = search.at("known");
  result.search_s = search.at("elapsed_s");
  result.reference_s = OptionalFrom(json.at("reference").at("latency_s"));
  result.reference_top1 = OptionalFrom(json.at("reference").at("top1"));
  result.reason = json.at("outcome").at("verdict");
  for (const Json& point : json.at("front")) {
    result.points.push_back(PointOfFront(point));
  }
}

}  // namespace

std::string_view NameOf(TaskEnd end) {
  return NameIn(kEndNames, end);
}

bool IsGood(TaskEnd end) {
  return end == TaskEnd::kDone || end == TaskEnd::kHolds || end == TaskEnd::kSearchedAgain;
}

bool HasFrontOnly(TaskEnd end) {
  return end == TaskEnd::kBoundsNotMet || end == TaskEnd::kGateFailed ||
         end == TaskEnd::kInconclusive;
}

bool IsBusy(const FleetResult& result) {
  return result.other_cores && *result.other_cores > kBusyOtherCores;
}

std::string ResultToJson(const FleetResult& result) {
  OrderedJson points = OrderedJson::array();
  for (const FleetPoint& point : result.points) {
    points.push_back(PointToJson(point));
  }
  return OrderedJson({{"format", kResultFormat},
                      {"network", result.network},
                      {"kind", result.kind},
                      {"end", NameOf(result.end)},
                      {"exit_code", result.exit_code},
                      {"reason", result.reason},
                      {"node", result.node},
                      {"job", result.job},
                      {"attempts", result.attempts},
                      {"begin", result.begin},
                      {"seconds", result.seconds},
                      {"version", result.version},
                      {"cpu", result.cpu},
                      {"isa", result.isa},
                      {"target", result.target},
                      {"other_cores", Optional(result.other_cores)},
                      {"model_hash", result.model_hash},
                      {"samples", result.samples},
                      {"measured", result.measured},
                      {"known", result.known},
                      {"search_s", result.search_s},
                      {"reference_s", Optional(result.reference_s)},
                      {"reference_top1", Optional(result.reference_top1)},
                      {"points", points},
                      {"retune_verdict", result.retune_verdict}})
             .dump(1, ' ', false, OrderedJson::error_handler_t::replace) +
         "\n";
}

FleetResult ResultFromJson(std::string_view text, std::string_view where) {
  const Json json = ParseStrictJson(text, where);
  CheckFleetTexts(json, where);
  try {
    if (json.at("format") != kResultFormat) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: a result of format {}; this halftone reads format {}", where,
                              json.at("format").dump(), kResultFormat));
    }
    FleetResult result;
    const std::string end = json.at("end");
    const auto known = ValueIn(kEndNames, end);
    if (!known) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: end '{}'; expected one of {}", where, end, NamesIn(kEndNames)));
    }
    result.end = *known;
    result.network = json.at("network");
    result.kind = json.at("kind");
    result.exit_code = json.at("exit_code");
    result.reason = json.at("reason");
    result.node = json.at("node");
    result.job = json.at("job");
    result.attempts = json.at("attempts");
    result.begin = json.at("begin");
    result.seconds = json.at("seconds");
    result.version = json.at("version");
    result.cpu = json.at("cpu");
    result.isa = json.at("isa");
    result.target = json.at("target");
    result.other_cores = OptionalFrom(json.at("other_cores"));
    result.model_hash = json.at("model_hash");
    result.samples = json.at("samples");
    result.measured = json.at("measured");
    result.known = json.at("known");
    result.search_s = json.at("search_s");
    result.reference_s = OptionalFrom(json.at("reference_s"));
    result.reference_top1 = OptionalFrom(json.at("reference_top1"));
    for (const Json& point : json.at("points")) {
      result.points.push_back(PointFromJson(point));
    }
    result.retune_verdict = json.at("retune_verdict");
    return result;
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: no result of a fleet's task: {}", where, error.what()));
  }
}

void AddFront(const std::filesystem::path& front_json, FleetResult& result) {
  if (!std::filesystem::exists(front_json)) {
    return;
  }
  const std::string where = front_json.string();
  const Json json = ParseStrictJson(ReadSmallFile(front_json, kMostReportBytes), where);
  try {
    TakeFront(json, result);
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: no front: {}", where, error.what()));
  }
}

void AddRetune(const std::filesystem::path& retune_json, FleetResult& result) {
  const std::string where = retune_json.string();
  const Json json = ParseStrictJson(ReadSmallFile(retune_json, kMostReportBytes), where);
  try {
    const Json& points = json.at("points");
    if (points.size() != result.points.size()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: {} points; the front that it measured again has {}", where,
                              points.size(), result.points.size()));
    }
    for (std::size_t i = 0; i < result.points.size(); ++i) {
      if (const Json& after = points.at(i).at("after"); !after.is_null()) {
        TakeAgain(after, result.points[i]);
        result.points[i].digest = points.at(i).at("plan_digest_after");
      }
    }
    result.version = json.at("tool").at("version");
    result.reference_s = OptionalFrom(json.at("reference").at("after_s"));
    result.retune_verdict = VerdictOf(json);
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: nothing of `halftone retune`: {}", where, error.what()));
  }
}

}  // namespace halftone
