// Writes tests/data/bank_schema_<version>.db: run once per schema version, when it is released.
//   make_sample_bank tests/data/bank_schema_1.db
#include <cstdio>
#include <filesystem>

#include "knowledge_base/sqlite_store.h"
#include "src/base/error.h"
#include "tests/knowledge_base/sample_trials.h"

int main(int argc, char** argv) {
  using namespace halftone;  // NOLINT(google-build-using-namespace): a program of one function
  if (argc != 2 || std::filesystem::exists(argv[1])) {
    std::fprintf(stderr, "usage: make_sample_bank <file that does not exist>\n");
    return 2;
  }
  try {
    const auto store = OpenSqliteStore(argv[1], OpenMode::kReadWrite);
    const Hash128 key = store->AddWorkload(testing::SampleWorkload());
    store->AddTrial(key, testing::MeasuredTrial(1));
    store->AddTrial(key, testing::RejectedTrial(2));
    store->AddTrial(key, testing::UnresolvedTrial());
    store->AddFront(testing::SampleFront(key, {testing::MeasuredTrial(1)}));
    const OperatorTiming timings[] = {testing::SampleTiming(1), testing::SampleTiming(2)};
    store->AddOperatorTimings(testing::SampleKernels(), timings);
    store->AddOperatorProfile(testing::SampleKernels(), testing::SampleProfile(2));
    store->AddSensitivity(key, {4, 4}, testing::SampleSensitivity());
    store->AddCalibration(testing::SampleCalibration(2));
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
