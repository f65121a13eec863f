// Turns what SQLite reports into one sentence that names the file and says what to do.
#pragma once

#include <exception>
#include <filesystem>
#include <string_view>
#include <utility>

#include "src/base/error.h"

namespace halftone {

// `code` is a primary or extended SQLite result code, `message` SQLite's own text.
Error SqliteError(const std::filesystem::path& database, int code, std::string_view message);

// A bank in which a check failed; `finding` says what was found.
Error DamagedBank(const std::filesystem::path& database, std::string_view finding);

// Rethrows the exception in flight: SQLite's as an Error kDatabase, an Error kDatabase without the
// file's name with it, others as they are.
[[noreturn]] void RethrowTranslated(const std::filesystem::path& database);

template <typename Body>
decltype(auto) TranslatingSqliteErrors(const std::filesystem::path& database, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    RethrowTranslated(database);
  }
}

}  // namespace halftone
