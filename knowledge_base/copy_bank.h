// Copy of a bank as of one moment, also while another process writes to it.
#pragma once

#include <filesystem>

namespace halftone {

// Writes what the bank `from` holds into the file `to`, which must not exist: whole and on the disk
// when the call returns, without a write-ahead log, of the schema of this version. Without free
// pages, so that it may be smaller. Error kDatabase of either; what was written of `to` stays then.
void CopyDatabase(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace halftone
