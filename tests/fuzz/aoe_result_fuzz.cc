// The result file of an AOE job, in its three forms. Writing rounds and drops what only older
// releases have, so what is compared are the files of the second and the third reading.
#include "src/aoe/result_file.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto read = ValueOrError([&] { return ParseAoeResult(TextOf(data, size), "result.json"); });
  if (!read) {
    return 0;
  }
  for (AoeTask& task : read->tasks) {
    auto& summary = task.result.summary;
    if (summary) {
      for (const auto count :
           {&AoeRepoSummary::total, &AoeRepoSummary::hit, &AoeRepoSummary::add,
            &AoeRepoSummary::update, &AoeRepoSummary::reserved, &AoeRepoSummary::unsatisfied}) {
        Require((*summary).*count >= 0, "a negative count");
      }
    }
    if (summary && !IsConsistent(*summary)) {
      summary.reset();  // halftone does not write such ones
    }
  }
  const AoeResultFile written = ParseAoeResult(FormatAoeResult(*read), "written.json");
  const AoeResultFile again = ParseAoeResult(FormatAoeResult(written), "again.json");
  Require(written.tasks == again.tasks, "the tasks read back differ");
  return 0;
}
