// What squeue prints, and the names of jobs that sbatch prints.
#include "src/fleet/slurm_text.h"
#include "tests/fuzz/fuzz.h"

using namespace halftone;           // NOLINT(google-build-using-namespace): one function
using namespace halftone::testing;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = TextOf(data, size);
  if (const auto tasks = ValueOrError([&] { return ParseSqueue(text); })) {
    for (const EngineTask& task : *tasks) {
      Require(ParseSlurmJobName(task.job) == SlurmJobName{task.job, ""}, "a job of another form");
    }
  }
  if (const auto job = ParseSlurmJobName(text)) {
    Require(ToText(*job) == text, "the name read back differs");
  }
  FindByComment(text, "halftone-1f");
  ConfigNumber(text, "MaxArraySize");
  ParseFeatures(text);
  FailureText(text);
  return 0;
}
