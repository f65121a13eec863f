// In-memory image of a bank. It is read where SQLite cannot create the index of the write-ahead log
// beside the bank, because the disk is full or the folder may not be written.
#pragma once

#include <memory>

#include "knowledge_base/bank_files.h"

namespace SQLite {  // NOLINT(readability-identifier-naming): the library's name
class Database;
}

namespace halftone {

// Copies a bank and the transactions in its write-ahead log to memory, and returns a read-only
// connection to the copy. The files stay unchanged; the copy does not show later writes to them.
// Memory: the size of the bank.
//
// SQLite::Exception if the database cannot be read, Error kIo if the log cannot be read. Error
// kDatabase: those of CheckDatabaseHead() and WithWriteAheadLog(), and files that another process
// changes during each of 20 attempts to read them.
std::shared_ptr<SQLite::Database> OpenBankImage(const BankFiles& files);

}  // namespace halftone
