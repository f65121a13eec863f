#include "tests/support/output_place.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "src/base/error.h"
#include "src/base/file.h"

namespace halftone::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBefore = "what was there before, and longer than what a test writes there";
constexpr int kNull[2] = {1, 3};  // major and minor number of the null device

// Binds a socket from within its folder, because the path of a socket has room for only 107
// characters.
void BindSocket(const fs::path& path) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string name = path.filename().string();
  Check(name.size() < sizeof(address.sun_path), "a short name for a socket");
  std::memcpy(address.sun_path, name.c_str(), name.size());
  const fs::path before = fs::current_path();
  fs::current_path(path.parent_path());
  const bool bound =
      ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  fs::current_path(before);
  ::close(socket);
  Check(bound, "a socket that can be bound");
}

// Empty, or why there can be none.
std::string MakeNullDevice(const fs::path& path) {
  if (::mknod(path.c_str(), S_IFCHR | 0666, makedev(kNull[0], kNull[1])) != 0) {
    return std::string("no device can be made: ") + std::strerror(errno);
  }
  const int device = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (device < 0) {
    return std::string("devices cannot be used here: ") + std::strerror(errno);
  }
  ::close(device);
  return {};
}

}  // namespace

// Reads until it is told that all writers have ended.
class OutputPlace::FifoReader {
 public:
  explicit FifoReader(const fs::path& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)),
        thread_([this] { Read(); }) {
    Check(descriptor_ >= 0, "a FIFO that can be read");
  }

  ~FifoReader() {
    End();
    ::close(descriptor_);
  }

  FifoReader(const FifoReader&) = delete;
  FifoReader& operator=(const FifoReader&) = delete;

  const std::string& End() {
    if (thread_.joinable()) {
      ended_ = true;
      thread_.join();
    }
    return content_;
  }

 private:
  void Read() {
    while (true) {
      const bool last = ended_;
      pollfd ready = {descriptor_, POLLIN, 0};
      ::poll(&ready, 1, 10);
      char buffer[4096];
      const ssize_t count = ::read(descriptor_, buffer, sizeof(buffer));
      if (count > 0) {
        content_.append(buffer, static_cast<std::size_t>(count));
      } else if (last) {
        return;
      } else {
        ::usleep(1000);
      }
    }
  }

  int descriptor_;
  std::atomic<bool> ended_ = false;
  std::string content_;
  std::thread thread_;
};

OutputPlace::OutputPlace(PlaceKind kind, fs::path path)
    : kind_(kind), path_(std::move(path)), target_(path_.string() + ".target") {
  fs::create_directories(path_.parent_path());
  switch (kind_) {
    case PlaceKind::kNothing:
      break;
    case PlaceKind::kFile:
      WriteFileAtomically(path_, kBefore);
      break;
    case PlaceKind::kLink:
      WriteFileAtomically(target_, kBefore);
      [[fallthrough]];
    case PlaceKind::kDanglingLink:
      fs::create_symlink(target_.filename(), path_);
      break;
    case PlaceKind::kFifo:
      Check(::mkfifo(path_.c_str(), 0600) == 0, "a FIFO");
      reader_ = std::make_unique<FifoReader>(path_);
      break;
    case PlaceKind::kDevice:
      obstacle_ = MakeNullDevice(path_);
      break;
    case PlaceKind::kOutput:
      target_ = "/proc/self/fd/1";  // what /dev/stdout is
      fs::create_symlink(target_, path_);
      break;
    case PlaceKind::kFolder:
      fs::create_directory(path_);
      break;
    case PlaceKind::kSocket:
      BindSocket(path_);
      break;
    case PlaceKind::kLoop:
      fs::create_symlink(path_.filename(), path_);
      break;
  }
}

OutputPlace::~OutputPlace() = default;
OutputPlace::OutputPlace(OutputPlace&&) noexcept = default;

std::string OutputPlace::Content() {
  switch (kind_) {
    case PlaceKind::kFifo:
      return reader_->End();
    case PlaceKind::kNothing:
    case PlaceKind::kFile:
      return ReadFile(path_);
    case PlaceKind::kLink:
    case PlaceKind::kDanglingLink:
      return ReadFile(target_);
    default:
      return {};
  }
}

std::string OutputPlace::Damage() const {
  struct stat status = {};
  const bool is_there = ::lstat(path_.c_str(), &status) == 0;
  const std::string name = "'" + path_.string() + "' ";
  for (const auto& entry : fs::directory_iterator(path_.parent_path())) {
    if (entry.path().string().find(".partial-") != std::string::npos) {
      return "'" + entry.path().string() + "' was left";
    }
  }
  switch (kind_) {
    case PlaceKind::kNothing:
      return is_there && !S_ISREG(status.st_mode) ? name + "is no file" : "";
    case PlaceKind::kFile:
      return S_ISREG(status.st_mode) ? "" : name + "is no file any more";
    case PlaceKind::kFifo:
      return S_ISFIFO(status.st_mode) ? "" : name + "is no FIFO any more";
    case PlaceKind::kDevice:
      return S_ISCHR(status.st_mode) && status.st_rdev == makedev(kNull[0], kNull[1])
                 ? ""
                 : name + "is no null device any more";
    case PlaceKind::kFolder:
      return S_ISDIR(status.st_mode) ? "" : name + "is no folder any more";
    case PlaceKind::kSocket:
      return S_ISSOCK(status.st_mode) ? "" : name + "is no socket any more";
    case PlaceKind::kLink:
    case PlaceKind::kDanglingLink:
    case PlaceKind::kOutput:
    case PlaceKind::kLoop:
      return S_ISLNK(status.st_mode) ? "" : name + "is no link any more";
  }
  return {};
}

}  // namespace halftone::testing
