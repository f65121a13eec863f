#include "knowledge_base/runtime_json.h"

#include <fmt/format.h>

#include "knowledge_base/text_json.h"
#include "src/base/error.h"

namespace halftone {

using nlohmann::json;

json RuntimeRunToJson(const RuntimeRun& run) {
  return {{"runtime", TextToJson(run.runtime)},
          {"low_asked", run.low_asked},
          {"low_ran", run.low_ran},
          {"as_asked", run.as_asked},
          {"own_outputs", run.own_outputs},
          {"detail", TextToJson(run.detail)},
          {"build_s", run.build_s}};
}

RuntimeRun RuntimeRunFrom(const json& value) {
  return {.runtime = TextFromJson(value.at("runtime")),
          .low_asked = value.at("low_asked").get<std::int64_t>(),
          .low_ran = value.at("low_ran").get<std::int64_t>(),
          .as_asked = value.at("as_asked").get<bool>(),
          .own_outputs = value.at("own_outputs").get<bool>(),
          .detail = TextFromJson(value.at("detail")),
          .build_s = value.at("build_s").get<double>()};
}

RuntimeRun RuntimeRunFromText(std::string_view text) {
  try {
    return RuntimeRunFrom(json::parse(text));
  } catch (const json::exception& error) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("a trial says how it ran in JSON that cannot be read ({}): the file "
                            "was damaged, restore it from a copy",
                            error.what()));
  }
}

}  // namespace halftone
