// SQLite errors as one sentence that names the file and says what to do.
#pragma once

#include <exception>
#include <filesystem>
#include <string_view>
#include <utility>

#include "src/base/error.h"

namespace halftone {

// `code` is a primary or extended SQLite result code, `message` SQLite's own text.
Error SqliteError(const std::filesystem::path& database, int code, std::string_view message);

// The error of a bank that failed a check; `finding` says what was found, a clause.
Error DamagedBank(const std::filesystem::path& database, std::string_view finding);

// Rethrows the exception in flight. An SQLite::Exception becomes an Error kDatabase. An Error
// kDatabase that does not name the file gets its name. Others stay unchanged.
[[noreturn]] void RethrowTranslated(const std::filesystem::path& database);

// Calls `body` and passes its exceptions through RethrowTranslated().
template <typename Body>
decltype(auto) TranslatingSqliteErrors(const std::filesystem::path& database, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    RethrowTranslated(database);
  }
}

}  // namespace halftone
