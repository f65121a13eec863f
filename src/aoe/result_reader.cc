// Reads three layouts of AOE's result files.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "src/aoe/result_file.h"
#include "src/aoe/result_keys.h"
#include "src/base/error.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Far beyond any file that a tool wrote; sums and roundings of such numbers are exact enough.
constexpr double kMostNumber = 1e12;
constexpr std::uint64_t kMostCount = 1'000'000'000'000;

using nlohmann::json;

class Reader {
 public:
  explicit Reader(std::string_view file_name) : file_name_(file_name) {}

  [[nodiscard]] AoeResultFile Read(const json& document) const {
    AoeResultFile file;
    if (document.is_array()) {
      file.tasks.push_back({"", ReadModel(document)});
      return file;
    }
    Require(document.is_object(), "the document", "an array or an object", document);
    for (const auto& [name, task] : document.items()) {
      if (name.starts_with("report_")) {
        file.tasks.push_back({name, ReadModel(task)});
      }
    }
    if (file.tasks.empty()) {
      Throw("expected an array for one model, or keys report_... for several; found neither");
    }
    return file;
  }

 private:
  [[noreturn]] void Throw(std::string_view what) const {
    throw Error(ErrorKind::kUsage, fmt::format("{}: {}", file_name_, what));
  }

  void Require(bool holds, std::string_view key, std::string_view expected,
               const json& found) const {
    if (!holds) {
      Throw(fmt::format("{}: expected {}, found {}", key, expected, JsonTypeName(found)));
    }
  }

  // A member that may be missing.
  static const json* Find(const json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }

  std::string Text(const json& object, const char* key) const {
    const json* value = Find(object, key);
    if (value == nullptr) {
      return {};
    }
    Require(value->is_string(), key, "a string", *value);
    return value->get<std::string>();
  }

  std::optional<double> Number(const json& object, const char* key) const {
    const json* value = Find(object, key);
    if (value == nullptr) {
      return std::nullopt;
    }
    Require(value->is_number(), key, "a number", *value);
    const double number = value->get<double>();
    if (!(std::abs(number) <= kMostNumber)) {
      Throw(fmt::format("{}: expected a number of at most {:g}, found {:g}", key, kMostNumber,
                        number));
    }
    return number;
  }

  double NeededNumber(const json& object, const char* key, std::string_view where) const {
    const auto number = Number(object, key);
    if (!number) {
      Throw(fmt::format("{}: {} is missing", where, key));
    }
    return *number;
  }

  [[nodiscard]] AoeModelResult ReadModel(const json& array) const {
    Require(array.is_array(), "a task", "an array", array);
    AoeModelResult result;
    result.job.clear();
    for (const json& part : array) {
      Require(part.is_object(), "a part of a task", "an object", part);
      if (const json* basic = Find(part, kBasic)) {
        Require(basic->is_object(), kBasic, "an object", *basic);
        result.tuning_name = Text(*basic, kTuningName);
        result.tuning_time_s = Number(*basic, kTuningTimeS).value_or(0);
      }
      for (const char* job : {kOpat, kSgat}) {
        if (const json* fields = Find(part, job)) {
          Require(fields->is_object(), job, "an object", *fields);
          result.job = job;
          ReadFields(*fields, result);
        }
      }
    }
    if (result.job.empty()) {
      Throw("a task: expected an object with the key OPAT or SGAT, found none");
    }
    return result;
  }

  void ReadFields(const json& fields, AoeModelResult& result) const {
    result.baseline_ms = Number(fields, kBaselineMs);
    result.result_ms = Number(fields, kResultMs);
    result.improvement = Text(fields, kModelImprovement);
    for (const char* key : {kOpatTuningResult, kSgatTuningResult, kOldTuneResult}) {
      if (std::string text = Text(fields, key); !text.empty()) {
        result.tuning_result = std::move(text);
      }
    }
    if (const json* modified = Find(fields, kModifiedOperators)) {
      ReadModified(*modified, result);
    }
    if (const json* failed = Find(fields, kFailedOperators)) {
      Require(failed->is_array(), kFailedOperators, "an array", *failed);
      for (const json& name : *failed) {
        Require(name.is_string(), kFailedOperators, "strings", name);
        result.failed_operators.push_back(name.get<std::string>());
      }
    }
    if (const json* summary = Find(fields, kSummary)) {
      result.summary = ReadSummary(*summary);
    }
  }

  void ReadModified(const json& modified, AoeModelResult& result) const {
    if (modified.is_array()) {
      for (const json& op : modified) {
        result.modified_operators.push_back(ReadOperator(op));
      }
      return;
    }
    Require(modified.is_object(), kModifiedOperators, "an array or an object", modified);
    for (const auto& [key, mode] :
         {std::pair(kOldAdded, "add"), std::pair(kOldUpdated, "update")}) {
      const json* list = Find(modified, key);
      if (list == nullptr) {
        continue;
      }
      Require(list->is_array(), key, "an array", *list);
      for (const json& op : *list) {
        Require(op.is_object(), key, "objects", op);
        AoeOperatorResult old{Text(op, kOpName), Text(op, kOpType), {}};
        old.performance.push_back(ReadPerformance("Schedule", op));
        old.performance.back().update_mode = mode;
        result.modified_operators.push_back(std::move(old));
      }
    }
  }

  [[nodiscard]] AoeOperatorResult ReadOperator(const json& op) const {
    Require(op.is_object(), kModifiedOperators, "objects", op);
    AoeOperatorResult result{Text(op, kOpName), Text(op, kOpType), {}};
    if (const json* kinds = Find(op, kTunePerformance)) {
      Require(kinds->is_object(), kTunePerformance, "an object", *kinds);
      for (const auto& [kind, fields] : kinds->items()) {
        Require(fields.is_object(), Shown(kind), "an object", fields);
        result.performance.push_back(ReadPerformance(kind, fields));
      }
    }
    return result;
  }

  [[nodiscard]] AoeTunePerformance ReadPerformance(const std::string& kind,
                                                   const json& fields) const {
    return {.kind = kind,
            .before_us = NeededNumber(fields, kBeforeUs, Shown(kind)),
            .after_us = NeededNumber(fields, kAfterUs, Shown(kind)),
            .improvement = Text(fields, kImprovement),
            .update_mode = Text(fields, kUpdateMode)};
  }

  [[nodiscard]] AoeRepoSummary ReadSummary(const json& counts) const {
    Require(counts.is_object(), kSummary, "an object", counts);
    AoeRepoSummary summary;
    for (const AoeCountRow& row : kAoeCounts) {
      if (const json* count = Find(counts, row.key)) {
        Require(count->is_number_unsigned(), row.key, "a count", *count);
        if (count->get<std::uint64_t>() > kMostCount) {
          Throw(fmt::format("{}: expected a count of at most {}, found {}", row.key, kMostCount,
                            count->get<std::uint64_t>()));
        }
        summary.*row.count = count->get<std::int64_t>();
      }
    }
    return summary;
  }

  std::string_view file_name_;
};

}  // namespace

AoeResultFile ParseAoeResult(std::string_view content, std::string_view file_name) {
  return Reader(file_name).Read(ParseStrictJson(content, file_name));
}

}  // namespace halftone
