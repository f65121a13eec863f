// File descriptors of the system: ownership, opening, writing.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

namespace halftone {

// Owns an open descriptor and closes it. A negative number stands for no descriptor.
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

// Opens a regular file for reading. Error kIo: missing, not readable, or anything but a regular
// file; pipes and devices may be endless or wait forever.
FileDescriptor OpenForReading(const std::filesystem::path& path);

// Writes all of `content`; waits if a non-blocking descriptor takes no more. Returns 0, or the
// errno of the write that failed.
[[nodiscard]] int WriteAll(int descriptor, std::string_view content);

// Throws Error kIo, "cannot <doing> '<path>': <reason>", with the system's text for errno `error`.
[[noreturn]] void ThrowIo(std::string_view doing, const std::filesystem::path& path, int error);

}  // namespace halftone
