#include "src/base/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/host_name.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the system follows (path_resolution(7))

// Kind of file at a path.
enum class Found : std::uint8_t { kNothing, kRegular, kFolder, kSocket, kFifo, kDevice };

struct Place {
  fs::path path;                  // behind links
  Found found = Found::kNothing;  // there
  mode_t mode = 0;                // of what was found
  std::optional<int> descriptor;  // the path is that of an open descriptor of this process
  bool magic = false;             // behind a link of /proc, which leads to a file and not to a path
};

Found KindOf(mode_t mode) {
  return S_ISREG(mode)    ? Found::kRegular
         : S_ISDIR(mode)  ? Found::kFolder
         : S_ISSOCK(mode) ? Found::kSocket
         : S_ISFIFO(mode) ? Found::kFifo
                          : Found::kDevice;
}

bool IsOfProc(const fs::path& folder) {
  struct statfs status = {};
  return ::statfs(folder.c_str(), &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

fs::path FolderOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// N of /proc/<this process>/fd/N, under any name of that folder (/dev/fd, /proc/self/fd).
std::optional<int> OwnDescriptor(const fs::path& link) {
  std::error_code error;
  const fs::path folder = fs::canonical(FolderOf(link), error);
  const std::string process = fmt::format("/proc/{}/", ::getpid());
  if (error || folder.filename() != "fd" || !folder.string().starts_with(process)) {
    return std::nullopt;
  }
  const std::string name = link.filename().string();
  int number = -1;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), number);
  return code == std::errc() && end == name.data() + name.size() ? std::optional(number)
                                                                 : std::nullopt;
}

// `doing` is for errors: "write".
Place Find(const fs::path& path, std::string_view doing) {
  Place place{.path = path};
  for (int links = 0; links <= kMostLinks; ++links) {
    struct stat status = {};
    if (::lstat(place.path.c_str(), &status) != 0) {
      if (errno != ENOENT) {
        ThrowIo(doing, path, errno);
      }
      return place;
    }
    if (S_ISLNK(status.st_mode) && IsOfProc(FolderOf(place.path))) {
      place.magic = true;
      place.descriptor = OwnDescriptor(place.path);
      if (::stat(place.path.c_str(), &status) != 0) {
        ThrowIo(doing, path, errno);
      }
    }
    if (!S_ISLNK(status.st_mode)) {
      place.found = KindOf(status.st_mode);
      place.mode = status.st_mode;
      return place;
    }
    std::error_code error;
    const fs::path target = fs::read_symlink(place.path, error);
    if (error) {
      ThrowIo(doing, path, error.value());
    }
    place.path = FolderOf(place.path) / target;  // an absolute one stands alone
  }
  ThrowIo(doing, path, ELOOP);
}

bool IsReplaced(const Place& place) {
  return !place.magic && (place.found == Found::kNothing || place.found == Found::kRegular);
}

Place FindWritable(const fs::path& path) {
  if (!path.has_filename()) {  // "out/"
    ThrowIo("write", path, EISDIR);
  }
  Place place = Find(path, "write");
  if (place.found == Found::kFolder) {
    ThrowIo("write", path, EISDIR);
  }
  if (place.found == Found::kSocket && !place.descriptor) {
    throw Error(ErrorKind::kIo, fmt::format("cannot write '{}': expected a file, a pipe or a "
                                            "device, found a socket",
                                            path.string()));
  }
  return place;
}

// What stands behind the name of a file that a process writes: ".partial-<host>-".
std::string PartialInfix() {
  return fmt::format(".partial-{}-", HostName());
}

// The process that writes a file of this name to `target`; empty: it is no such file.
std::optional<pid_t> WriterOf(const fs::path& file, const fs::path& target) {
  const std::string name = file.filename().string();
  const std::string begin = target.filename().string() + PartialInfix();
  pid_t process = 0;
  const char* const end = name.data() + name.size();
  if (!name.starts_with(begin)) {
    return std::nullopt;
  }
  const auto [stop, error] = std::from_chars(name.data() + begin.size(), end, process);
  return error == std::errc() && stop == end && process > 0 ? std::optional(process) : std::nullopt;
}

// Removes what processes of this machine that were killed left beside `target`: nothing holds the
// lock of such a file, also where a container numbers processes anew. Looks once in a process.
void RemoveAbandoned(const fs::path& target) {
  static std::mutex mutex;
  static std::set<fs::path> seen;
  {
    const std::lock_guard lock(mutex);
    if (!seen.insert(target).second) {
      return;
    }
  }
  std::error_code error;
  for (fs::directory_iterator entry(FolderOf(target), error), end; !error && entry != end;
       entry.increment(error)) {
    const std::optional<pid_t> writer = WriterOf(entry->path(), target);
    if (!writer || ::kill(*writer, 0) == 0 || errno != ESRCH) {
      continue;
    }
    const FileDescriptor file(
        ::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status = {};
    if (file.get() >= 0 && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
        ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
      ::unlink(entry->path().c_str());
    }
  }
}

// A new file, not one that somebody else put there; what an ended process of this number left is
// removed.
FileDescriptor CreatePartial(const fs::path& partial, const Place& place, const fs::path& path) {
  int file = -1;
  for (int attempt = 0; file < 0 && attempt < 2; ++attempt) {
    file = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && (errno != EEXIST || ::unlink(partial.c_str()) != 0)) {
      ThrowIo("write", path, errno);
    }
  }
  if (file < 0) {
    ThrowIo("write", path, errno);
  }
  FileDescriptor created(file);
  static_cast<void>(::flock(created.get(), LOCK_EX | LOCK_NB));  // not all file systems have locks
  if (place.found == Found::kRegular) {
    // Ignored where the system does not allow it: the content counts.
    static_cast<void>(!::fchmod(created.get(), place.mode & 07777U));
  }
  return created;
}

// Opening a FIFO for writing waits for its reader without end; a search of hours should not.
FileDescriptor OpenFifo(const Place& place, const fs::path& path, double reader_wait_s) {
  constexpr auto kLook = std::chrono::milliseconds(20);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(reader_wait_s);
  while (true) {
    FileDescriptor file(::open(place.path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    if (file.get() >= 0) {
      ::fcntl(file.get(), F_SETFL, O_WRONLY);  // a slow reader is waited for
      return file;
    }
    if (errno != ENXIO) {
      ThrowIo("write", path, errno);
    }
    if (std::chrono::steady_clock::now() >= end) {
      throw Error(ErrorKind::kIo,
                  fmt::format("cannot write '{}': it is a FIFO that nobody reads; start its reader "
                              "first",
                              path.string()));
    }
    std::this_thread::sleep_for(kLook);
  }
}

FileDescriptor OpenInPlace(const Place& place, const fs::path& path, double reader_wait_s) {
  if (place.descriptor) {
    FileDescriptor file(::fcntl(*place.descriptor, F_DUPFD_CLOEXEC, 0));
    if (file.get() < 0) {
      ThrowIo("write", path, errno);
    }
    return file;
  }
  if (place.found == Found::kFifo) {
    return OpenFifo(place, path, reader_wait_s);
  }
  const int truncated = place.found == Found::kRegular ? O_TRUNC : 0;
  FileDescriptor file(::open(place.path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | truncated));
  if (file.get() < 0) {
    ThrowIo("write", path, errno);
  }
  return file;
}

// Processes of several machines may write to one folder.
fs::path PartialOf(const fs::path& target) {
  return target.string() + fmt::format("{}{}", PartialInfix(), ::getpid());
}

}  // namespace

ClosedPipe::ClosedPipe(const fs::path& path)
    : Error(ErrorKind::kIo,
            fmt::format("cannot write '{}': nobody reads it any more", path.string())) {}

OutputFile::OutputFile(const fs::path& path, double reader_wait_s) : path_(path), file_(-1) {
  const Place place = FindWritable(path);
  target_ = place.path;
  if (IsReplaced(place)) {
    CreateFolder(FolderOf(target_));
    RemoveAbandoned(target_);
    const fs::path partial = PartialOf(target_);
    file_ = CreatePartial(partial, place, path);
    partial_ = partial;
  } else {
    file_ = OpenInPlace(place, path, reader_wait_s);
  }
}

OutputFile::~OutputFile() {
  if (!partial_.empty()) {
    ::unlink(partial_.c_str());
  }
}

void OutputFile::Write(std::string_view content) {
  const int error = WriteAll(file_.get(), content);
  if (error == EPIPE) {
    throw ClosedPipe(path_);
  }
  if (error != 0) {
    ThrowIo("write", path_, error);
  }
}

void OutputFile::Finish(Flush flush) {
  if (partial_.empty()) {
    return;
  }
  const bool flushed =
      flush == Flush::kNo || ::fsync(file_.get()) == 0 || errno == EINVAL;  // no such call there
  if (!flushed || ::rename(partial_.c_str(), target_.c_str()) != 0) {
    ThrowIo("write", path_, errno);
  }
  partial_.clear();
}

void OutputFile::Check(const fs::path& path) {
  const Place place = FindWritable(path);
  if (IsReplaced(place)) {
    const OutputFile unfinished(path);
  } else if (!place.descriptor && ::access(place.path.c_str(), W_OK) != 0) {
    ThrowIo("write", path, errno);
  }
}

fs::path FollowLinks(const fs::path& path, std::string_view doing) {
  return Find(path, doing).path;
}

}  // namespace halftone
