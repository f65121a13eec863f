#include "src/base/temporary_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "src/base/error.h"
#include "src/base/file_descriptor.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

fs::path NewFolder(std::string_view purpose) {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) {
    throw Error(ErrorKind::kIo, fmt::format("no folder for {}: {}; set TMPDIR to one that exists",
                                            purpose, error.message()));
  }
  std::string name = (parent / "halftone_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorKind::kIo,
                fmt::format("no folder {} for {}: {}; set TMPDIR to where there is room", name,
                            purpose, std::strerror(errno)));
  }
  return name;
}

}  // namespace

TemporaryFolder::TemporaryFolder(std::string_view purpose)
    : path_(NewFolder(purpose)), guard_(fs::absolute(path_)) {}

void TemporaryFolder::Write(const std::filesystem::path& name, std::string_view content) const {
  const fs::path path = path_ / name;
  const FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  const int error = file.get() < 0 ? errno : WriteAll(file.get(), content);
  if (error != 0) {
    ThrowIo("write", path, error);
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace halftone
