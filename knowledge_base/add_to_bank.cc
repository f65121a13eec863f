#include <SQLiteCpp/SQLiteCpp.h>

#include <exception>

#include "knowledge_base/bank_records.h"
#include "knowledge_base/bank_writer.h"
#include "knowledge_base/sqlite_connection.h"
#include "knowledge_base/sqlite_error.h"

namespace halftone {
namespace {

AddedRecords AddAll(BankWriter& writer, const std::filesystem::path& database,
                    const RecordSource& source) {
  AddedRecords result;
  source([&](const BankRecord& record) {
    TranslatingSqliteErrors(
        database, [&] { ++(writer.Add(record) ? result.added : result.known).at(record.index()); });
  });
  return result;
}

}  // namespace

AddedRecords AddToBank(const std::filesystem::path& database, const RecordSource& source) {
  AddedRecords result;
  std::exception_ptr error_of_source;  // which names its own file, not this one
  TranslatingSqliteErrors(database, [&] {
    const auto connection = OpenConnection(database, OpenMode::kReadWrite, {});
    SQLite::Transaction transaction(*connection, SQLite::TransactionBehavior::IMMEDIATE);
    BankWriter writer(*connection);
    try {
      result = AddAll(writer, database, source);
    } catch (...) {
      error_of_source = std::current_exception();
      return;
    }
    transaction.commit();
  });
  if (error_of_source) {
    std::rethrow_exception(error_of_source);
  }
  return result;
}

}  // namespace halftone
