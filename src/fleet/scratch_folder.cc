#include "src/fleet/scratch_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <system_error>
#include <thread>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/hash.h"
#include "src/base/remove_below.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLook{1};

// A folder below a place where anybody may write: only one of our own is used.
fs::path OwnFolder(const fs::path& scratch) {
  fs::path folder = scratch / fmt::format("halftone-fleet-{}", ::geteuid());
  CreateFolder(scratch);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw Error(ErrorKind::kIo, fmt::format("cannot create the folder '{}' for tasks: {}",
                                            folder.string(), std::strerror(errno)));
  }
  struct stat status = {};
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != ::geteuid()) {
    throw Error(ErrorKind::kIo,
                fmt::format("'{}' is not a folder of this user; set TMPDIR or --scratch to another "
                            "place on this machine's disk",
                            folder.string()));
  }
  return folder;
}

// No network has a name with a dot first.
fs::path LockOf(const fs::path& folder) {
  return folder.parent_path() / fmt::format(".{}.lock", folder.filename().string());
}

// Null: another process has it.
std::unique_ptr<FileLock> TryLock(const fs::path& path) {
  try {
    return std::make_unique<FileLock>(path);
  } catch (const FileHeld&) {
    return nullptr;
  }
}

}  // namespace

fs::path ScratchName(const FleetFolder& folder, const FleetItem& item) {
  // A copy of a fleet's folder is another fleet with the same id.
  const std::string place = Hasher().Add(folder.path().string()).Finish().ToHex().substr(0, 8);
  return fs::path(fmt::format("{}-{}-{}", folder.id(), place, folder.round())) / item.kind /
         item.network;
}

ScratchFolder::ScratchFolder(const fs::path& scratch, const FleetFolder& folder,
                             const FleetItem& item, const std::function<bool()>& waiting)
    : path_(OwnFolder(scratch) / ScratchName(folder, item)),
      generation_(std::to_string(folder.Generation(item))) {
  while (lock_ == nullptr) {
    lock_ = TryLock(LockOf(path_));
    if (lock_ == nullptr) {
      if (waiting()) {
        return;
      }
      std::this_thread::sleep_for(kLook);
    }
  }
  CreateFolder(path_);
  DropOlderOutput();
}

// What was found before the result was taken away is no result now; the bank stays.
void ScratchFolder::DropOlderOutput() {
  const fs::path file = path_ / "generation";
  std::error_code code;
  if (!fs::exists(file, code) || ReadFile(file) != generation_) {
    RemoveBelow(path_, output());
    WriteFileAtomically(file, generation_);
  }
}

void ScratchFolder::Remove() {
  if (lock_ == nullptr) {
    return;
  }
  const fs::path folder = path_.parent_path();
  RemoveBelow(folder, path_);             // what stays is only used by this task
  RemoveOneBelow(folder, LockOf(path_));  // who waits for it finds the result
}

}  // namespace halftone
