// A regular file read in pieces: opened once, so that size and bytes belong to one file even when
// another file takes its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace halftone {

// Treatment of symbolic links by OpenedFile; kRefuse where one could lead out of a folder.
enum class Links : std::uint8_t { kRefuse, kFollow };

class OpenedFile {
 public:
  // Error kIo: missing, not readable, not a regular file, a symbolic link that `links` refuses
  // (resolve it first).
  explicit OpenedFile(std::filesystem::path path, Links links = Links::kRefuse);
  ~OpenedFile();
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;

  // The size when the file was opened.
  [[nodiscard]] std::int64_t size_bytes() const { return size_bytes_; }

  // Fills `target` with the bytes from `offset`. Error kIo; also when the file has become shorter.
  // May be called by several threads at once.
  void Read(std::int64_t offset, std::span<std::byte> target) const;

  // Maps `size` bytes from `offset`, a range inside the file, as read-only memory: the system loads
  // pages when they are touched and may drop them when memory is short. The mapping lives as long
  // as the pointer or a copy of it; the file may be closed. Null when the system has no mapping to
  // give.
  //
  // What others write to the file may show in the bytes. When the file is truncated below them,
  // touching them raises SIGBUS: only a copy protects against that (the program reports it in a
  // sentence, src/cli/file_size_limit.h).
  [[nodiscard]] std::shared_ptr<const std::byte[]> Map(std::int64_t offset,
                                                       std::int64_t size) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::int64_t size_bytes_ = 0;
};

}  // namespace halftone
