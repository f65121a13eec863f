// The knowledge base: its file, texts in its rows, and exports.
#include <unistd.h>

#include <filesystem>
#include <variant>

#include "knowledge_base/bank_export.h"
#include "knowledge_base/bank_records.h"
#include "knowledge_base/candidate_json.h"
#include "knowledge_base/record_json.h"
#include "knowledge_base/sqlite_store.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "tests/fuzz/fuzz.h"

namespace halftone::testing {
namespace {

// Opens and reads everything.
std::size_t RowsOf(const std::filesystem::path& database, OpenMode mode) {
  const auto store = OpenSqliteStore(database, mode);
  std::size_t rows = 0;
  for (const WorkloadSummary& workload : store->Workloads()) {
    rows += store->History(workload.key).size() + store->Trials(workload.key).size() +
            store->Fronts(workload.key).size();
  }
  ReadBank(database, [&](const BankRecord&) { ++rows; });
  return rows + store->OperatorTimingSummaries().size() + store->OperatorProfileSummaries().size() +
         store->CalibrationSummaries().size();
}

void BankFile(std::string_view bytes) {
  namespace fs = std::filesystem;
  // In memory where the system has such a folder: the bank is flushed to the disk.
  static const fs::path kFolder =
      (fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path()) /
      ("halftone_bank_fuzz_" + std::to_string(::getpid()));
  const fs::path database = kFolder / "halftone.db";
  for (const OpenMode mode : {OpenMode::kReadOnly, OpenMode::kReadWrite}) {
    fs::remove_all(kFolder);
    WriteFileAtomically(database, bytes);
    ValueOrError([&] { return RowsOf(database, mode); });
  }
  fs::remove_all(kFolder);
}

// Candidates, and lists of names.
void CandidateJson(std::string_view bytes) {
  ReadsBack(bytes, CandidateFromJson, CandidateToJson);
  ReadsBack(bytes, NamesFromJson, NamesToJson);
}

// The lines of an export, of this program and of older ones.
void BankExport(std::string_view bytes) {
  ExportReader reader;
  ValueOrError([&] {
    for (const std::string_view line : Split(bytes, '\n')) {
      if (const auto record = reader.Read(line)) {
        const std::string text = RecordToJson(*record);
        const auto again = RecordFromJson(text);
        Require(std::holds_alternative<BankRecord>(again) &&
                    RecordToJson(std::get<BankRecord>(again)) == text,
                "the record read back differs");
      }
    }
    reader.Finish();
    return true;
  });
}

const FuzzedParsers kBankParsers = {
    {"bank_export", BankExport},
    {"bank_file", BankFile},
    {"candidate_json", CandidateJson},
};

}  // namespace
}  // namespace halftone::testing
