// A new folder in the temporary directory (TMPDIR). It is deleted, with its content, when the
// object or the process ends.
#pragma once

#include <filesystem>
#include <string_view>

#include "src/base/folder_guard.h"

namespace halftone {

class TemporaryFolder {
 public:
  // `purpose` completes the sentence "no folder for ..." of an Error kIo.
  explicit TemporaryFolder(std::string_view purpose);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // Writes or overwrites the file `name`, relative to the folder; its parent must exist. The file
  // is not flushed to the disk: that would take milliseconds, and the file is deleted soon. Error
  // kIo.
  void Write(const std::filesystem::path& name, std::string_view content) const;

 private:
  std::filesystem::path path_;
  FolderGuard guard_;
};

}  // namespace halftone
