#include "src/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "src/base/error.h"
#include "src/base/file_descriptor.h"

namespace halftone {

std::string ReadFile(const std::filesystem::path& path) {
  const FileDescriptor file = OpenForReading(path);
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) {
    ThrowIo("read", path, errno);
  }
  // One more than the file has, so that its end is seen without growing; pipes say 0.
  constexpr std::size_t kLeast = 4096;
  std::string content(std::max(kLeast, static_cast<std::size_t>(status.st_size) + 1), '\0');
  std::size_t size = 0;
  while (true) {
    const ssize_t count = ::read(file.get(), content.data() + size, content.size() - size);
    if (count < 0 && errno != EINTR) {
      ThrowIo("read", path, errno);
    }
    if (count == 0) {
      content.resize(size);
      return content;
    }
    size += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    if (size == content.size()) {
      content.resize(2 * size);
    }
  }
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
