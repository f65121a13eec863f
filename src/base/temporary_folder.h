// A new folder below TMPDIR that is deleted, with all that lies in it, when the object or this
// process ends.
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

  // Writes a new file below the folder, or over one of an earlier call; its folder must exist.
  // Nothing is flushed to the disk, which would take milliseconds a file, because it is deleted
  // with the object. Error kIo.
  void Write(const std::filesystem::path& name, std::string_view content) const;

 private:
  std::filesystem::path path_;
  FolderGuard guard_;
};

}  // namespace halftone
