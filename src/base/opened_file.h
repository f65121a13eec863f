// A regular file that is read in parts: opened once, so that size and bytes are those of one file
// whatever takes its name meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace halftone {

// Whether a path may be a symbolic link: not where the link could lead out of a folder.
enum class Links : std::uint8_t { kRefuse, kFollow };

class OpenedFile {
 public:
  // Error kIo: missing, not readable, not a regular file, a symbolic link that `links` refuses
  // (resolve it first).
  explicit OpenedFile(std::filesystem::path path, Links links = Links::kRefuse);
  ~OpenedFile();
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;

  // When it was opened.
  [[nodiscard]] std::int64_t size_bytes() const { return size_bytes_; }

  // Fills `target` with the bytes from `offset`. Error kIo; also when the file has become shorter.
  // May be called by several threads at once.
  void Read(std::int64_t offset, std::span<std::byte> target) const;

  // `size` bytes from `offset`, which lie inside of the file, as memory that is read only: the
  // system loads pages when they are touched and may drop them when memory is short. They stay
  // mapped as long as the pointer or a copy of it lives, the file may be closed. Null when the
  // system has no mapping to give.
  //
  // What others write to the file may show in the bytes. When somebody cuts the file short below
  // them, touching them raises SIGBUS: nothing but a copy protects against that (the program says
  // it in a sentence, src/cli/cut_file.h).
  [[nodiscard]] std::shared_ptr<const std::byte[]> Map(std::int64_t offset,
                                                       std::int64_t size) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::int64_t size_bytes_ = 0;
};

}  // namespace halftone
