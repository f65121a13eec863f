// JSON as configuration files have it.

#include <nlohmann/json.hpp>

#include "src/base/strict_json.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto value = ValueOrError([&] { return ParseStrictJson(TextOf(data, size), "x.json"); });
  if (value) {
    Require(nlohmann::json::parse(TextOf(data, size)) == *value, "another value than JSON's");
    Require(ParseStrictJson(value->dump(), "x.json") == *value, "the document read back differs");
  }
  return 0;
}
