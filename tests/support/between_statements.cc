#include "tests/support/between_statements.h"

#include <sqlite3.h>

#include <utility>

namespace halftone::testing {
namespace {

BetweenStatements* active = nullptr;

int OnStatement(unsigned /*event*/, void* /*context*/, void* statement, void* /*text*/) {
  sqlite3* connection = sqlite3_db_handle(static_cast<sqlite3_stmt*>(statement));
  if (active != nullptr && sqlite3_get_autocommit(connection) != 0 &&
      sqlite3_txn_state(connection, nullptr) == SQLITE_TXN_NONE) {
    active->BeforeStatement();
  }
  return 0;
}

int OnConnection(sqlite3* connection, const char** /*error*/, const sqlite3_api_routines* /*api*/) {
  return sqlite3_trace_v2(connection, SQLITE_TRACE_STMT, OnStatement, nullptr);
}

}  // namespace

BetweenStatements::BetweenStatements(std::function<void()> act) : act_(std::move(act)) {
  active = this;
  sqlite3_auto_extension(reinterpret_cast<void (*)()>(OnConnection));
}

BetweenStatements::~BetweenStatements() {
  sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(OnConnection));
  active = nullptr;
}

void BetweenStatements::BeforeStatement() {
  if (!acting_) {
    acting_ = true;
    ++moments_;
    act_();
    acting_ = false;
  }
}

}  // namespace halftone::testing
