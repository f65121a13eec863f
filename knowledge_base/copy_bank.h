// Copy of a bank, also of one that another process writes to.
#pragma once

#include <filesystem>

namespace halftone {

// Copies the bank `from`, as of one moment, to the file `to`, which must not exist. When the call
// returns, the copy is complete and on the disk. It has no write-ahead log and no free pages, so
// it may be smaller than `from`. Error kDatabase names the file that failed; an incomplete `to`
// stays on the disk then.
void CopyDatabase(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace halftone
