#include "src/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "src/base/error.h"

namespace halftone {
namespace {

[[noreturn]] void ThrowIo(std::string_view doing, const std::filesystem::path& path, int error) {
  throw Error(ErrorKind::kIo,
              fmt::format("cannot {} '{}': {}", doing, path.string(), std::strerror(error)));
}

// Closes the descriptor when an error leaves the writer.
class FileDescriptor {
 public:
  explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}

  ~FileDescriptor() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }

  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

std::string ReadFile(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    ThrowIo("read", path, EISDIR);
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    ThrowIo("read", path, errno);
  }
  std::ostringstream content;
  content << file.rdbuf();
  if (file.bad()) {
    ThrowIo("read", path, errno);
  }
  return std::move(content).str();
}

void CreateFolder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    throw Error(ErrorKind::kIo,
                fmt::format("cannot create the folder '{}': {}", path.string(), error.message()));
  }
}

std::string ReadSmallFile(const std::filesystem::path& path, std::uintmax_t most_bytes) {
  std::error_code code;
  if (std::filesystem::exists(path, code) && !std::filesystem::is_directory(path, code)) {
    if (!std::filesystem::is_regular_file(path, code)) {
      throw Error(ErrorKind::kIo,
                  fmt::format("cannot read '{}': expected a regular file, found a pipe or a device",
                              path.string()));
    }
    if (std::filesystem::file_size(path, code) > most_bytes) {
      throw Error(ErrorKind::kIo,
                  fmt::format("cannot read '{}': expected a file of at most {} bytes",
                              path.string(), most_bytes));
    }
  }
  return ReadFile(path);
}

void WriteFileAtomically(const std::filesystem::path& path, std::string_view content) {
  if (path.has_parent_path()) {
    CreateFolder(path.parent_path());
  }
  const std::filesystem::path partial = path.string() + fmt::format(".partial-{}", ::getpid());
  {
    const FileDescriptor file(
        ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file.get() < 0) {
      ThrowIo("write", path, errno);
    }
    while (!content.empty()) {
      const ssize_t written = ::write(file.get(), content.data(), content.size());
      if (written < 0 && errno == EINTR) {
        continue;
      }
      if (written < 0) {
        const int reason = errno;
        ::unlink(partial.c_str());
        ThrowIo("write", path, reason);
      }
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fsync(file.get()) != 0 && errno != EINVAL) {  // EINVAL: a pipe or the like
      const int reason = errno;
      ::unlink(partial.c_str());
      ThrowIo("write", path, reason);
    }
  }
  if (::rename(partial.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(partial.c_str());
    ThrowIo("write", path, reason);
  }
}

}  // namespace halftone
