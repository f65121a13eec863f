// Process that removes a folder once this process has ended without doing so, even by SIGKILL.
#pragma once

#include <filesystem>

#include "src/base/file_descriptor.h"

namespace halftone {

class FolderGuard {
 public:
  // `folder`: absolute, with a name that only its maker knows. If the system starts no process, the
  // folder is not guarded, without an error.
  explicit FolderGuard(const std::filesystem::path& folder);

  // Ends the process; the folder stays.
  ~FolderGuard();
  FolderGuard(const FolderGuard&) = delete;
  FolderGuard& operator=(const FolderGuard&) = delete;

 private:
  FileDescriptor link_{-1};  // a line tells the process to end; if the link ends without one, to
                             // remove
  int process_ = -1;
};

}  // namespace halftone
