#include "knowledge_base/copy_bank.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "knowledge_base/sqlite_connection.h"
#include "knowledge_base/sqlite_error.h"

namespace halftone {

void CopyDatabase(const std::filesystem::path& from, const std::filesystem::path& to) {
  TranslatingSqliteErrors(from, [&] {
    const auto connection = OpenConnection(from, OpenMode::kReadOnly, {});
    connection->exec("PRAGMA query_only = OFF");  // query_only would refuse VACUUM INTO
    TranslatingSqliteErrors(to, [&] {
      SQLite::Statement vacuum(*connection, "VACUUM INTO ?");
      vacuum.bind(1, to.string());
      vacuum.exec();
    });
  });
}

}  // namespace halftone
