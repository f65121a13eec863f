// The files of AOE command lines.
#include "src/accuracy/image_transform.h"
#include "src/aoe/aipp_file.h"
#include "src/aoe/configuration.h"
#include "src/aoe/result_file.h"
#include "src/aoe/tune_ops_file.h"
#include "tests/fuzz/fuzz.h"

namespace halftone::testing {
namespace {

// What is read is words of --image.
void Aipp(std::string_view bytes) {
  const auto image = ValueOrError([&] { return ParseAipp(bytes, "aipp.cfg"); });
  if (image) {
    static_cast<void>(ParseImageTransform(*image));
  }
}

void Configuration(std::string_view bytes) {
  const auto configuration = ValueOrError([&] { return ParseAoeConfiguration(bytes, "aoe.ini"); });
  if (!configuration) {
    return;
  }
  Require(configuration->run_loop >= 1 && configuration->run_loop <= 2048 &&
              configuration->tuning_parallel_num >= 1 && configuration->tuning_parallel_num <= 64,
          "a number out of range");
  RequireReadable(configuration->warnings);
}

// The three forms. Writing rounds and drops what only older releases have, so what is compared are
// the files of the second and the third reading.
void Result(std::string_view bytes) {
  auto read = ValueOrError([&] { return ParseAoeResult(bytes, "result.json"); });
  if (!read) {
    return;
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
}

void TuneOps(std::string_view bytes) {
  const auto ops = ValueOrError([&] { return ParseTuneOps(bytes, "ops.json"); });
  if (ops) {
    Require(!ops->names.contains("") && !ops->types.contains(""), "an empty name");
  }
}

const FuzzedParsers kAoeParsers = {
    {"aipp", Aipp},  // --insert_op_conf
    {"aoe_configuration", Configuration},
    {"aoe_result", Result},
    {"tune_ops", TuneOps},  // --tune_ops_file
};

}  // namespace
}  // namespace halftone::testing
