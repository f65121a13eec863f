// An open file of the system.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

namespace halftone {

// Owns an open descriptor and closes it; negative: none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}

  ~FileDescriptor();

  FileDescriptor(FileDescriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}

  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

// Opens a regular file. Error kIo: missing, a folder, not readable; a pipe, a device or a socket,
// which may be endless or wait without end.
FileDescriptor OpenForReading(const std::filesystem::path& path);

// Writes all of `content`, waiting where the descriptor does not block. Returns 0, or the errno of
// the write that failed.
[[nodiscard]] int WriteAll(int descriptor, std::string_view content);

// Error kIo: "cannot <doing> '<path>': <what the system says of `error`>".
[[noreturn]] void ThrowIo(std::string_view doing, const std::filesystem::path& path, int error);

}  // namespace halftone
