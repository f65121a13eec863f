// A file that one process holds at a time. The lock goes with the process, however it ends.
#pragma once

#include <filesystem>

namespace halftone {

class FileLock {
 public:
  // Creates the file and its folder. Error kUsage when another process holds it, kIo.
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace halftone
