#include "src/base/file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "src/base/error.h"
#include "src/base/file_descriptor.h"
#include "src/base/output_file.h"

namespace halftone {

std::string ReadFile(const std::filesystem::path& path) {
  const FileDescriptor file = OpenForReading(path);
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) {
    ThrowIo("read", path, errno);
  }
  // One byte more than the size, so that the end of the file is seen without growing; files of
  // /proc have size 0.
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
  if (std::filesystem::is_symlink(path, error)) {
    std::filesystem::create_directories(FollowLinks(path, "create the folder"), error);
  } else {
    std::filesystem::create_directories(path, error);
  }
  if (error) {
    throw Error(ErrorKind::kIo,
                fmt::format("cannot create the folder '{}': {}", path.string(), error.message()));
  }
}

std::string ReadSmallFile(const std::filesystem::path& path, std::uintmax_t most_bytes) {
  std::error_code code;
  const std::uintmax_t bytes = std::filesystem::file_size(path, code);
  if (!code && bytes > most_bytes) {
    throw Error(ErrorKind::kIo, fmt::format("cannot read '{}': expected a file of at most {} bytes",
                                            path.string(), most_bytes));
  }
  return ReadFile(path);
}

void WriteFileAtomically(const std::filesystem::path& path, std::string_view content) {
  OutputFile file(path);
  file.Write(content);
  file.Finish();
}

}  // namespace halftone
