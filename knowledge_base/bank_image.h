// In-memory image of a bank, for reading where SQLite cannot create the index of the write-ahead
// log beside it, because the disk is full or the folder may not be written.
#pragma once

#include <memory>

#include "knowledge_base/bank_files.h"

namespace SQLite {  // NOLINT(readability-identifier-naming): the library's name
class Database;
}

namespace halftone {

// A read-only connection to a copy of `files` with the content of their write-ahead log; the files
// stay unchanged, and later writes to them are not seen. Memory: the size of the bank. Errors:
// SQLite::Exception where the file cannot be read, Error kDatabase as WithWriteAheadLog(), and
// where another process writes to the files all the time.
std::shared_ptr<SQLite::Database> OpenBankImage(const BankFiles& files);

}  // namespace halftone
