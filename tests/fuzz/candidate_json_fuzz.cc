// Candidates and lists of names in the knowledge base.
#include "knowledge_base/candidate_json.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto candidate = ValueOrError([&] { return CandidateFromJson(TextOf(data, size)); });
  if (candidate) {
    const std::string text = CandidateToJson(*candidate);
    Require(CandidateFromJson(text) == *candidate, "the candidate read back differs");
  }
  const auto names = ValueOrError([&] { return NamesFromJson(TextOf(data, size)); });
  if (names) {
    Require(NamesFromJson(NamesToJson(*names)) == *names, "the names read back differ");
  }
  return 0;
}
