// Profiles of Glow, and the names in them.
#include "src/quantization/files/glow_names.h"
#include "src/quantization/files/glow_profile.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto profile = ValueOrError([&] { return ParseGlowProfile(TextOf(data, size), "p.yaml"); });
  if (!profile) {
    return 0;
  }
  const auto text = ValueOrError([&] { return WriteGlowProfile(*profile); });  // or not UTF-8
  if (text) {
    const GlowProfile again = ParseGlowProfile(*text, "p.yaml");
    Require(WriteGlowProfile(again) == *text, "the profile read back differs");
    Require(again.Hash() == profile->Hash(), "the hash differs");
  }
  std::vector<std::string> names;
  std::vector<GlowCandidate> candidates;
  for (const GlowRecord& record : profile->records) {
    names.push_back(record.name);
    candidates.push_back({.name = record.name, .results = 2});
  }
  const GlowMatches matches = MatchGlowRecords(names, candidates);
  Require(matches.targets.size() == names.size(), "a record was dropped");
  return 0;
}
