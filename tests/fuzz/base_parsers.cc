// JSON and YAML as files of settings have them.
#include <nlohmann/json.hpp>

#include "src/base/strict_json.h"
#include "src/base/strict_yaml.h"
#include "tests/fuzz/fuzz.h"

namespace halftone::testing {
namespace {

void StrictJson(std::string_view bytes) {
  const auto value = ReadsBack(
      bytes, [](std::string_view text) { return ParseStrictJson(text, "x.json"); },
      [](const nlohmann::json& json) { return json.dump(); });
  if (value) {
    Require(nlohmann::json::parse(bytes) == *value, "another value than JSON's");
  }
}

void StrictYaml(std::string_view bytes) {
  const auto items = ValueOrError([&] {
    std::vector<YamlNode> all;
    ForEachYamlItem(bytes, "x.yaml", {},
                    [&](YamlPlace, YamlNode item) { all.push_back(std::move(item)); });
    return all;
  });
  if (!items) {
    return;
  }
  for (const YamlNode& item : *items) {
    const auto text = ValueOrError([&] { return YamlFlow(item); });  // not UTF-8: an Error
    if (text) {
      const YamlNode list = ParseStrictYaml("[" + *text + "]", "x.yaml", {.most_levels = 17});
      Require(YamlFlow(list) == "[" + *text + "]", "the text read back differs");
    }
  }
}

const FuzzedParsers kBaseParsers = {
    {"strict_json", StrictJson},
    {"strict_yaml", StrictYaml},
};

}  // namespace
}  // namespace halftone::testing
