// YAML as tables of scales and lists of names have it.
#include "src/base/strict_yaml.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto items = ValueOrError([&] {
    std::vector<YamlNode> all;
    ForEachYamlItem(TextOf(data, size), "x.yaml", {},
                    [&](YamlPlace, YamlNode item) { all.push_back(std::move(item)); });
    return all;
  });
  if (!items) {
    return 0;
  }
  for (const YamlNode& item : *items) {
    const auto text = ValueOrError([&] { return YamlFlow(item); });  // not UTF-8: an Error
    if (text) {
      const YamlNode list = ParseStrictYaml("[" + *text + "]", "x.yaml", {.most_levels = 17});
      Require(YamlFlow(list) == "[" + *text + "]", "the text read back differs");
    }
  }
  return 0;
}
