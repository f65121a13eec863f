// Guard of a folder: a helper process that removes the folder if this process ends without
// destroying the guard, even by SIGKILL.
#pragma once

#include <filesystem>

#include "src/base/file_descriptor.h"

namespace halftone {

class FolderGuard {
 public:
  // `folder`: absolute path, with a name that nobody else uses. If the system cannot start the
  // helper, the folder is not guarded, without an error.
  explicit FolderGuard(const std::filesystem::path& folder);

  // Ends the helper; the folder stays.
  ~FolderGuard();
  FolderGuard(const FolderGuard&) = delete;
  FolderGuard& operator=(const FolderGuard&) = delete;

 private:
  // Socket to the helper. A line makes the helper end; if the socket closes without a line, the
  // helper removes the folder.
  FileDescriptor link_{-1};
  int process_ = -1;  // of the helper; negative: none
};

}  // namespace halftone
