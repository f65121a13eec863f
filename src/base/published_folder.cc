#include "src/base/published_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <random>
#include <system_error>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/file_descriptor.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kFolderMode = 0777;  // less what the process masks

fs::path WithoutSlash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

void ThrowIsThere(const fs::path& path) {
  throw Error(ErrorKind::kIo,
              fmt::format("'{}' is there already: name a folder that is not", path.string()));
}

// Names are random: several machines may fill folders for one place on a network.
fs::path MakePart(const fs::path& path) {
  std::random_device random;
  while (true) {
    fs::path part = path;
    part.replace_filename(
        fmt::format(".{}.{:08x}{:08x}.part", path.filename().string(), random(), random()));
    if (::mkdir(part.c_str(), kFolderMode) == 0) {
      return part;
    }
    if (errno != EEXIST) {
      ThrowIo("create", part, errno);
    }
  }
}

void Flush(const fs::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  // EINVAL: a file system that cannot flush folders.
  if (file.get() < 0 || (::fsync(file.get()) != 0 && errno != EINVAL)) {
    ThrowIo("flush", path, errno);
  }
}

}  // namespace

PublishedFolder::PublishedFolder(const fs::path& path) : path_(WithoutSlash(path)) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(path_, error))) {
    ThrowIsThere(path_);
  }
  if (path_.has_parent_path()) {
    CreateFolder(path_.parent_path());
  }
  part_ = MakePart(path_);
}

PublishedFolder::~PublishedFolder() {
  if (!part_.empty()) {
    std::error_code ignored;
    fs::remove_all(part_, ignored);
  }
}

void PublishedFolder::Publish() {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(part_)) {
    if (entry.is_regular_file() || entry.is_directory()) {
      Flush(entry.path());
    }
  }
  Flush(part_);
  // Fails where a folder that has content, or a file, lies there.
  if (::rename(part_.c_str(), path_.c_str()) != 0) {
    if (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR) {
      ThrowIsThere(path_);
    }
    ThrowIo("create", path_, errno);
  }
  part_.clear();
  Flush(path_.has_parent_path() ? path_.parent_path() : fs::path("."));
}

}  // namespace halftone
