// Exclusive lock on a file, among processes. It ends with the process, however that ends.
#pragma once

#include <filesystem>

#include "src/base/error.h"

namespace halftone {

// Error kUsage: another process holds the file.
class FileHeld : public Error {
 public:
  explicit FileHeld(const std::filesystem::path& path);
};

class FileLock {
 public:
  // Creates the file and its folder, and takes the lock without waiting. Errors: FileHeld, kIo.
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace halftone
