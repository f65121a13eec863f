// export.json: what an exported file is, who reads it, and what it lacks.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "src/api/export_plan.h"
#include "src/base/printable.h"

namespace halftone {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 2;

Json OrNull(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

}  // namespace

std::string ExportRecord(const ExportedPlan& exported, std::string_view text,
                         const std::string& file) {
  Json beside = Json::array();
  for (const ExportedFile& further : exported.beside) {
    beside.push_back(further.name);
  }
  Json losses = Json::array();
  for (const Loss& loss : exported.losses) {
    losses.push_back({{"node", loss.node},
                      {"asked", loss.asked},
                      {"written", OrNull(loss.written)},
                      {"why", loss.why}});
  }
  const Json record = {{"schema_version", kSchemaVersion},
                       {"halftone", HALFTONE_VERSION},
                       {"file", file},
                       {"beside", beside},
                       {"format", text},
                       {"read_by", exported.read_by},
                       {"command", exported.command},
                       {"verified_by", OrNull(exported.verified_by)},
                       {"plan", exported.plan.ToHex()},
                       {"notes", exported.notes},
                       {"losses", losses}};
  return PrintableJson(record.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace halftone
