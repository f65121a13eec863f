#include "src/api/bank/upkeep_texts.h"

#include <fmt/format.h>

#include <vector>

#include "knowledge_base/sqlite_store.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Nouns for kRecordNames, and plurals.
constexpr std::string_view kNouns[kRecordKinds][2] = {{"workload", "workloads"},
                                                      {"trial", "trials"},
                                                      {"front", "fronts"},
                                                      {"sensitivity", "sensitivities"},
                                                      {"operator timing", "operator timings"},
                                                      {"operator profile", "operator profiles"},
                                                      {"calibration", "calibrations"}};

}  // namespace

std::string Counts(const std::array<std::int64_t, kRecordKinds>& counts) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kRecordKinds; ++i) {
    if (counts[i] != 0) {
      parts.push_back(fmt::format("{} {}", counts[i], kNouns[i][counts[i] == 1 ? 0 : 1]));
    }
  }
  return parts.empty() ? "nothing" : Join(parts, ", ");
}

std::string AddedLine(std::string_view verb, const std::string& from, const AddedRecords& result) {
  return fmt::format("{} '{}': added {}; {} known already", verb, from, Counts(result.added),
                     Counts(result.known));
}

void CheckExists(const std::filesystem::path& database) {
  std::error_code error;
  if (!std::filesystem::exists(database, error)) {
    OpenSqliteStore(database, OpenMode::kReadOnly);
  }
}

}  // namespace halftone
