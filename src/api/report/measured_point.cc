#include "src/api/report/measured_point.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "src/api/options/point_record.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/strict_json.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kMostFrontBytes = 256U << 20U;

// Fields of front.json that all points share; retune compares with them.
constexpr const char* kShared[] = {"schema_version", "tool",        "created_at", "model",
                                   "target",         "constraints", "confidence", "reference",
                                   "metric",         "kernels"};

Json SharedOf(const Json& document) {
  Json shared;
  for (const char* key : kShared) {
    if (document.contains(key)) {
      shared[key] = document.at(key);
    }
  }
  return shared;
}

// The folder of the point is the one that the text lies in.
std::string PointOf(const Json& shared, Json point) {
  point["folder"] = ".";
  point.erase("arguments");  // relative to the report; arguments.txt has them
  Json alone = shared;
  alone["front"] = Json::array({std::move(point)});
  // Names come from the model and may not be UTF-8.
  return alone.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::filesystem::path FrontBeside(const std::filesystem::path& folder) {
  return folder.parent_path() / "front.json";
}

}  // namespace

std::vector<std::string> MeasuredPoints(const TuneSummary& summary) {
  const Json document = Json::parse(FormatFrontJson(summary));
  const Json shared = SharedOf(document);
  std::vector<std::string> points;
  for (std::size_t i = 0; i < summary.front.points.size(); ++i) {
    Json point = document.at("front").at(i);
    point["findings"] = summary.front.points[i].findings;
    points.push_back(PointOf(shared, std::move(point)));
  }
  return points;
}

std::map<std::string, std::string> FindingsOfPoint(const Point& point) {
  if (!point.record || point.record->measured.empty()) {
    return {};
  }
  const Json document = Json::parse(point.record->measured);
  try {
    const Json& measured = document.at("front").at(0);
    return measured.contains("findings")  // not there in folders of before
               ? measured.at("findings").get<std::map<std::string, std::string>>()
               : std::map<std::string, std::string>();
  } catch (const nlohmann::json::exception& wrong) {
    throw Error(ErrorKind::kUsage, fmt::format("--point={}: expected the point.json that halftone "
                                               "writes: {}",
                                               point.folder.string(), wrong.what()));
  }
}

std::string MeasuredIn(const std::filesystem::path& folder) {
  const auto record = ReadPointRecord(folder);
  if (record && !record->measured.empty()) {
    return record->measured;
  }
  const std::filesystem::path named =
      std::filesystem::absolute(folder / "").lexically_normal().parent_path();
  const std::filesystem::path front = FrontBeside(named);
  std::error_code error;
  if (record || !std::filesystem::exists(front, error)) {
    throw Error(ErrorKind::kUsage,
                "expected a point that was measured, as `halftone tune` writes it, found options "
                "only; `halftone run --point` measures them");
  }
  const Json document = ParseStrictJson(ReadSmallFile(front, kMostFrontBytes), front.string());
  try {
    for (const Json& point : document.at("front")) {
      if (point.at("folder") == named.filename().string()) {
        return PointOf(SharedOf(document), point);
      }
    }
  } catch (const nlohmann::json::exception& wrong) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: expected the front.json that `halftone tune "
                                               "--output` writes: {}",
                                               front.string(), wrong.what()));
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: expected a point with the folder '{}', found none; tune again",
                          front.string(), named.filename().string()));
}

}  // namespace halftone
