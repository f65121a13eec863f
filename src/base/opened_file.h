// A regular file that is read in pieces. It is opened once, so that size and bytes are those of one
// file, even if another file takes its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace halftone {

// Treatment of a path that is a symbolic link. kRefuse is for paths that must stay in a folder.
enum class Links : std::uint8_t { kRefuse, kFollow };

class OpenedFile {
 public:
  // Error kIo: missing, not readable, not a regular file, or a symbolic link with kRefuse.
  explicit OpenedFile(std::filesystem::path path, Links links = Links::kRefuse);
  ~OpenedFile();
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;

  // The size when the file was opened.
  [[nodiscard]] std::int64_t size_bytes() const { return size_bytes_; }

  // Fills `target` with the bytes from `offset` on. Several threads may call it at once. Error kIo,
  // also if the file ends before `target` is full.
  void Read(std::int64_t offset, std::span<std::byte> target) const;

  // Maps `size` > 0 bytes from `offset` on as read-only memory. The system loads pages when they
  // are touched and may drop them when memory is short. The mapping exists as long as a copy of the
  // pointer, also after this object. Returns null if the system refuses the mapping. Error
  // kInternal: the range is not inside the file.
  //
  // If another process writes to the file, the bytes may change. If it truncates the file, touching
  // bytes behind the new end raises SIGBUS (src/cli/file_size_limit.h reports that). Only a copy of
  // the bytes is safe from both.
  [[nodiscard]] std::shared_ptr<const std::byte[]> Map(std::int64_t offset,
                                                       std::int64_t size) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::int64_t size_bytes_ = 0;
};

}  // namespace halftone
