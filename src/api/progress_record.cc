#include "src/api/progress_record.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "src/base/enum_table.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/printable.h"
#include "src/base/strict_json.h"

namespace halftone {
namespace {

using nlohmann::json;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kMostBytes = 1U << 20U;
constexpr double kMostCount = 9007199254740992;  // whole numbers to here are exact in a double

constexpr EnumRow<RunPhase> kPhases[] = {
    {RunPhase::kPrepare, "prepare", "the network, the samples and the knowledge base are read"},
    {RunPhase::kOperators, "operators", "kernels of operators are timed"},
    {RunPhase::kProbes, "probes", "the network is calibrated, sensitivities are measured"},
    {RunPhase::kSearch, "search", "plans are measured"},
    {RunPhase::kConfirm, "confirm", "the front is measured again"},
    {RunPhase::kDone, "done", "the run has ended"},
};

[[noreturn]] void ThrowUnexpected(std::string_view key, std::string_view expected,
                                  const json& found) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: expected {}, found {}", key, expected, Shown(found.dump())));
}

// ---- Writing ------------------------------------------------------------------------------------

template <typename Value>
Json OptionalJson(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json PlanJson(const BestPlan& plan) {
  return {{"latency_ratio", plan.latency_ratio},
          {"loss", plan.loss},
          {"sqnr_db", OptionalJson(plan.sqnr_db)}};
}

Json OptionalPlanJson(const std::optional<BestPlan>& plan) {
  return plan ? PlanJson(*plan) : Json(nullptr);
}

Json BestJson(const BestSoFar& best) {
  Json at_bounds = Json::array();
  for (const BestAtBound& row : best.at_bounds) {
    Json plan = {{"bound", row.bound}};
    plan.update(PlanJson(row.plan));
    at_bounds.push_back(std::move(plan));
  }
  return {{"front_points", best.front_points},
          {"any", OptionalPlanJson(best.any)},
          {"meeting_goal", OptionalPlanJson(best.meeting)},
          {"at_bounds", std::move(at_bounds)}};
}

Json StepsJson(const std::optional<PhaseSteps>& steps) {
  return steps ? Json({{"done", steps->done}, {"planned", OptionalJson(steps->planned)}})
               : Json(nullptr);
}

Json OutcomeJson(const std::optional<RunOutcome>& outcome) {
  if (!outcome) {
    return nullptr;
  }
  return {{"end", outcome->end}, {"exit_code", outcome->exit_code}, {"message", outcome->message}};
}

// ---- Reading ------------------------------------------------------------------------------------

// The value behind `key`; null where it is absent.
const json& ValueAt(const json& object, std::string_view key) {
  static const json kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

double NumberAt(const json& object, std::string_view key) {
  const json& value = ValueAt(object, key);
  if (!value.is_number() || !std::isfinite(value.get<double>())) {
    ThrowUnexpected(key, "a number", value);
  }
  return value.get<double>();
}

double NumberFrom(const json& object, std::string_view key, double least) {
  const double number = NumberAt(object, key);
  if (number < least) {
    ThrowUnexpected(key, fmt::format("a number from {} up", least), ValueAt(object, key));
  }
  return number;
}

std::uint64_t CountAt(const json& object, std::string_view key) {
  const json& value = ValueAt(object, key);
  if (!value.is_number_unsigned() || value.get<double>() > kMostCount) {
    ThrowUnexpected(key, "a whole number from 0 up", value);
  }
  return value.get<std::uint64_t>();
}

std::optional<std::uint64_t> OptionalCountAt(const json& object, std::string_view key) {
  return ValueAt(object, key).is_null() ? std::nullopt : std::optional(CountAt(object, key));
}

std::string TextAt(const json& object, std::string_view key) {
  const json& value = ValueAt(object, key);
  if (!value.is_string()) {
    ThrowUnexpected(key, "a text", value);
  }
  return value.get<std::string>();
}

// An object; empty where it is absent or null.
std::optional<json> OptionalObjectAt(const json& object, std::string_view key) {
  const json& value = ValueAt(object, key);
  if (value.is_null()) {
    return std::nullopt;
  }
  if (!value.is_object()) {
    ThrowUnexpected(key, "an object", value);
  }
  return value;
}

json ObjectAt(const json& object, std::string_view key) {
  std::optional<json> value = OptionalObjectAt(object, key);
  if (!value) {
    ThrowUnexpected(key, "an object", nullptr);
  }
  return *std::move(value);
}

BestPlan PlanFrom(const json& object) {
  BestPlan plan{.latency_ratio = NumberFrom(object, "latency_ratio", 0),
                .loss = NumberAt(object, "loss"),
                .sqnr_db = std::nullopt};
  if (!ValueAt(object, "sqnr_db").is_null()) {
    plan.sqnr_db = NumberAt(object, "sqnr_db");
  }
  return plan;
}

std::optional<BestPlan> OptionalPlanAt(const json& object, std::string_view key) {
  const std::optional<json> plan = OptionalObjectAt(object, key);
  return plan ? std::optional(PlanFrom(*plan)) : std::nullopt;
}

BestSoFar BestFrom(const json& object) {
  BestSoFar best{.front_points = CountAt(object, "front_points"),
                 .any = OptionalPlanAt(object, "any"),
                 .meeting = OptionalPlanAt(object, "meeting_goal"),
                 .at_bounds = {}};
  const json& rows = ValueAt(object, "at_bounds");
  if (!rows.is_array()) {
    ThrowUnexpected("at_bounds", "an array", rows);
  }
  for (const json& row : rows) {
    if (!row.is_object()) {
      ThrowUnexpected("at_bounds", "objects", row);
    }
    best.at_bounds.push_back({.bound = TextAt(row, "bound"), .plan = PlanFrom(row)});
  }
  return best;
}

std::optional<PhaseSteps> StepsFrom(const std::optional<json>& object) {
  if (!object) {
    return std::nullopt;
  }
  return PhaseSteps{.done = CountAt(*object, "done"),
                    .planned = OptionalCountAt(*object, "planned")};
}

std::optional<RunOutcome> OutcomeFrom(const std::optional<json>& object) {
  constexpr std::uint64_t kMostExitCode = 255;
  if (!object) {
    return std::nullopt;
  }
  const std::uint64_t exit_code = CountAt(*object, "exit_code");
  if (exit_code > kMostExitCode) {
    ThrowUnexpected("exit_code", "a number from 0 to 255", ValueAt(*object, "exit_code"));
  }
  return RunOutcome{.end = TextAt(*object, "end"),
                    .exit_code = static_cast<int>(exit_code),
                    .message = TextAt(*object, "message")};
}

RunPhase PhaseFrom(const json& object) {
  const std::optional<RunPhase> phase = ValueIn(kPhases, TextAt(object, "phase"));
  if (!phase) {
    ThrowUnexpected("phase", "one of " + NamesIn(kPhases), ValueAt(object, "phase"));
  }
  return *phase;
}

ProgressRecord RecordFrom(const json& document) {
  if (!document.is_object()) {
    throw Error(ErrorKind::kUsage, fmt::format("expected the object that --progress_file writes, "
                                               "found {}",
                                               JsonTypeName(document)));
  }
  if (CountAt(document, "format") != kProgressFormat) {
    ThrowUnexpected("format",
                    fmt::format("{} (another version of halftone wrote it)", kProgressFormat),
                    ValueAt(document, "format"));
  }
  const json plans = ObjectAt(document, "plans");
  ProgressRecord record{.phase = PhaseFrom(document),
                        .steps = StepsFrom(OptionalObjectAt(document, "steps")),
                        .plans_measured = CountAt(plans, "measured"),
                        .plans_known = CountAt(plans, "known"),
                        .plans_planned = OptionalCountAt(plans, "planned"),
                        .elapsed_s = NumberFrom(document, "elapsed_s", 0),
                        .best = BestFrom(ObjectAt(document, "best")),
                        .outcome = OutcomeFrom(OptionalObjectAt(document, "outcome"))};
  if ((record.phase == RunPhase::kDone) != record.outcome.has_value()) {
    throw Error(ErrorKind::kUsage,
                "outcome: expected one in the phase \"done\", and in no other phase");
  }
  return record;
}

}  // namespace

std::string_view NameOf(RunPhase phase) {
  return NameIn(kPhases, phase);
}

std::string FormatProgress(const ProgressRecord& record) {
  const Json document = {{"format", kProgressFormat},
                         {"phase", NameOf(record.phase)},
                         {"steps", StepsJson(record.steps)},
                         {"plans",
                          {{"measured", record.plans_measured},
                           {"known", record.plans_known},
                           {"planned", OptionalJson(record.plans_planned)}}},
                         {"elapsed_s", record.elapsed_s},
                         {"best", BestJson(record.best)},
                         {"outcome", OutcomeJson(record.outcome)}};
  return PrintableJson(document.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

ProgressRecord ParseProgress(std::string_view text, std::string_view where) {
  const json document = ParseStrictJson(text, where);
  return WithContext([&] { return where; }, [&] { return RecordFrom(document); });
}

std::optional<ProgressRecord> ReadProgressFile(const std::filesystem::path& path) {
  try {
    return ParseProgress(ReadSmallFile(path, kMostBytes), path.string());
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace halftone
