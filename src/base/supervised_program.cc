#include "src/base/supervised_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <limits>
#include <string_view>
#include <utility>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr char kAsk = 'T';
constexpr char kKill = 'K';
constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr int kLookMs = 20;  // between rounds of signals to what does not end at once
// Longest time for processes that the program leaves behind to end by themselves.
constexpr double kMostLeftGrace_s = 2;
// A process in an uninterruptible call (a dead network disk) ends when that does: it has its
// signal.
constexpr std::int64_t kMostKillingNs = 10 * kSecondNs;

// Message of the supervisor.
struct Report {
  enum Kind : std::int32_t { kStarted, kNotStarted, kEnded };

  Kind kind = kStarted;
  std::int32_t value = 0;  // errno, or the status of waitpid()
  std::int64_t ns = 0;     // from start to end
};

// What the supervisor needs, made before it exists: it may not allocate.
struct Order {
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  const char* folder = nullptr;  // null: none
  int out = -1;
  int err = -1;
  bool apart = true;
  std::int64_t grace_ns = 0;
  sigset_t mask = {};  // of the program
  int parent = -1;     // socket to the parent: its orders come there, reports go there
};

std::int64_t NowNs() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecondNs + now.tv_nsec;
}

void SendReport(int descriptor, const Report& report) {
  static_cast<void>(::send(descriptor, &report, sizeof(report), MSG_NOSIGNAL));
}

// What becomes the program.
[[noreturn]] void Become(const Order& order, pid_t supervisor, int failure) {
  if (order.apart) {
    ::setpgid(0, 0);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // No handler of ours may run here; what ours ignores by itself, a program that others wrote
  // expects to end by.
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action = {};
    const bool is_ignored =
        ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (!is_ignored || signal == SIGPIPE || signal == SIGXFSZ) {
      std::signal(signal, SIG_DFL);
    }
  }
  bool ready = ::getppid() == supervisor;
  // Where a stream of this process is closed, one of these may have its number.
  failure = ::fcntl(failure, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (order.out >= 0) {
    const int out = ::fcntl(order.out, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int err = ::fcntl(order.err, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int none = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ready = ready && none >= 0 && (none == STDIN_FILENO || ::dup2(none, STDIN_FILENO) >= 0) &&
            ::fcntl(STDIN_FILENO, F_SETFD, 0) == 0 && ::dup2(out, STDOUT_FILENO) >= 0 &&
            ::dup2(err, STDERR_FILENO) >= 0;
  }
  ready = ready && (order.folder == nullptr || ::chdir(order.folder) == 0);
  if (ready) {
    ::sigprocmask(SIG_SETMASK, &order.mask, nullptr);
    ::execvpe(order.argv[0], order.argv, order.envp);
  }
  const int error = errno;
  static_cast<void>(!::write(failure, &error, sizeof(error)));
  ::_exit(127);
}

// Descriptors of this process that keep files, locks and pipes of its parent open.
void CloseAllBut(int kept) {
  const int none = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int stream = 0; none >= 0 && stream <= STDERR_FILENO; ++stream) {
    if (stream != kept) {
      ::dup2(none, stream);
    }
  }
  constexpr unsigned kBegin = STDERR_FILENO + 1;
  const auto hole = static_cast<unsigned>(kept);
  if (hole > kBegin) {
    ::close_range(kBegin, hole - 1, 0);
  }
  ::close_range(std::max(hole + 1, kBegin), std::numeric_limits<unsigned>::max(), 0);
}

// Number of the parent in /proc/<pid>/stat; 0: unknown.
pid_t ParentOf(const char* pid, int proc) {
  char path[32] = {};
  std::strncpy(path, pid, 20);
  constexpr char kStat[] = "/stat";
  std::memcpy(path + std::strlen(path), kStat, sizeof(kStat));
  const int file = ::openat(proc, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return 0;
  }
  char text[512] = {};
  const ssize_t count = ::read(file, text, sizeof(text) - 1);
  ::close(file);
  // "pid (name, which may have parentheses) state parent ..."
  const char* at = count > 0 ? std::strrchr(text, ')') : nullptr;
  if (at == nullptr || std::strlen(at) < 5) {
    return 0;
  }
  pid_t parent = 0;
  for (at += 4; *at >= '0' && *at <= '9'; ++at) {
    parent = 10 * parent + (*at - '0');
  }
  return parent;
}

// Whether /proc shows the processes that this one sees: a container may have another's.
bool IsOwnProc() {
  char self[32] = {};
  const ssize_t count = ::readlink("/proc/self", self, sizeof(self) - 1);
  pid_t number = 0;
  for (ssize_t i = 0; i < count; ++i) {
    number = 10 * number + (self[i] - '0');
  }
  return number == ::getpid();
}

// An entry of getdents64(2), which libraries read into memory that they allocate.
struct Entry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t length;
  std::uint8_t type;
  char name[1];
};

// Sends the signal to each child of this process, which orphans become. The numbers are theirs
// until they are waited for here.
void SignalChildren(int signal) {
  const int proc = IsOwnProc() ? ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (proc < 0) {
    return;
  }
  alignas(Entry) char buffer[8192];
  const pid_t self = ::getpid();
  while (true) {
    const long bytes = ::syscall(SYS_getdents64, proc, buffer, sizeof(buffer));
    if (bytes <= 0) {
      break;
    }
    for (long at = 0; at < bytes;) {
      const auto* const entry = reinterpret_cast<const Entry*>(buffer + at);
      at += entry->length;
      const char* const name = buffer + (at - entry->length) + offsetof(Entry, name);
      pid_t pid = 0;
      const char* digit = name;
      for (; *digit >= '0' && *digit <= '9'; ++digit) {
        pid = 10 * pid + (*digit - '0');
      }
      if (*digit == '\0' && pid > 0 && ParentOf(name, proc) == self) {
        ::kill(pid, signal);
      }
    }
  }
  ::close(proc);
}

// What the supervisor does after the program has begun.
class Supervision {
 public:
  Supervision(const Order& order, pid_t program, std::int64_t begin_ns)
      : order_(order), program_(program), begin_ns_(begin_ns) {
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    children_ = ::signalfd(-1, &children, SFD_NONBLOCK | SFD_CLOEXEC);
  }

  // Until the program and all that it started have ended.
  void Watch() {
    while (!AllHaveEnded()) {
      const std::int64_t now = NowNs();
      if (ended_ && !rest_is_told_) {
        rest_is_told_ = true;
        EndBy(now,
              std::min(order_.grace_ns, static_cast<std::int64_t>(kMostLeftGrace_s) * kSecondNs));
      }
      if (now >= kill_at_ns_) {
        if (now - kill_at_ns_ > kMostKillingNs) {
          return;
        }
        SignalAll(SIGKILL);
      }
      Wait(now);
    }
  }

  [[nodiscard]] Report Ended() const {
    return {.kind = Report::kEnded,
            .value = ended_ ? status_ : SIGKILL,
            .ns = (ended_ ? end_ns_ : NowNs()) - begin_ns_};
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  bool AllHaveEnded() {
    while (true) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG);
      if (pid == program_) {
        ended_ = true;
        status_ = status;
        end_ns_ = NowNs();
      }
      if (pid <= 0) {
        return pid < 0 && errno == ECHILD;
      }
    }
  }

  void SignalAll(int signal) const {
    SignalGroup(signal);
    SignalChildren(signal);
  }

  // The group has its number as long as the program was not waited for.
  void SignalGroup(int signal) const {
    if (!ended_) {
      ::kill(order_.apart ? -program_ : program_, signal);
    }
  }

  void EndBy(std::int64_t now, std::int64_t grace_ns) {
    if (grace_ns > 0) {
      SignalAll(SIGTERM);
    }
    kill_at_ns_ = std::min(kill_at_ns_, now + grace_ns);
  }

  // For a child, an order, or the time of a signal.
  void Wait(std::int64_t now) {
    pollfd ready[] = {{parent_, POLLIN, 0}, {children_, POLLIN, 0}};
    constexpr std::int64_t kMsNs = kSecondNs / 1000;
    const int wait_ms =
        kill_at_ns_ == kNever ? (children_ < 0 ? kLookMs : -1)
        : now >= kill_at_ns_
            ? kLookMs
            : static_cast<int>(std::min<std::int64_t>((kill_at_ns_ - now) / kMsNs + 1,
                                                      std::numeric_limits<int>::max()));
    ::poll(ready, std::size(ready), wait_ms);
    signalfd_siginfo told;
    while (children_ >= 0 && ::read(children_, &told, sizeof(told)) > 0) {
    }
    if (ready[0].revents != 0) {
      Obey();
    }
  }

  void Obey() {
    char order = 0;
    if (::read(parent_, &order, 1) != 1) {
      parent_ = -1;
      EndBy(NowNs(), order_.grace_ns);
    } else if (order == kAsk) {
      SignalGroup(SIGTERM);
    } else {
      kill_at_ns_ = std::min(kill_at_ns_, NowNs());
    }
  }

  const Order& order_;
  pid_t program_;
  std::int64_t begin_ns_;
  int parent_ = order_.parent;  // negative: it is gone
  int children_ = -1;           // tells that one has ended
  std::int64_t kill_at_ns_ = kNever;
  bool ended_ = false;         // the program
  bool rest_is_told_ = false;  // what it has left behind
  int status_ = 0;
  std::int64_t end_ns_ = 0;
};

// With all signals blocked: it ends when its work is done. Begins with one thread.
[[noreturn]] void Supervise(const Order& order) {
  if (order.apart) {
    ::setsid();
  }
  std::signal(SIGCHLD, SIG_DFL);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  int failure[2] = {-1, -1};
  int error = ::pipe2(failure, O_CLOEXEC) == 0 ? 0 : errno;
  const std::int64_t begin_ns = NowNs();
  const pid_t self = ::getpid();
  // Without a copy of the memory, which this process has from its parent and the program never
  // sees.
  const pid_t program = error == 0 ? ::vfork() : -1;  // NOLINT(clang-analyzer-security*)
  if (program == 0) {
    Become(order, self, failure[1]);
  }
  if (error == 0 && program < 0) {
    error = errno;
  }
  ::close(failure[1]);
  if (error == 0 && ::read(failure[0], &error, sizeof(error)) <= 0) {
    error = 0;  // it was closed by the program that has begun
  }
  if (error != 0) {
    SendReport(order.parent, {.kind = Report::kNotStarted, .value = error, .ns = 0});
    ::_exit(0);
  }
  CloseAllBut(order.parent);
  SendReport(order.parent, {.kind = Report::kStarted, .value = 0, .ns = 0});
  Supervision supervision(order, program, begin_ns);
  supervision.Watch();
  SendReport(order.parent, supervision.Ended());
  ::_exit(0);
}

std::vector<char*> PointersTo(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) {
    pointers.push_back(const_cast<char*>(word.c_str()));  // NOLINT: the interface predates const
  }
  pointers.push_back(nullptr);
  return pointers;
}

// Two ends that see each other close.
std::pair<FileDescriptor, FileDescriptor> NewSockets() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw Error(ErrorKind::kIo, fmt::format("no socket for a program: {}", std::strerror(errno)));
  }
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// Empty: there is none, or the supervisor has ended without one.
std::optional<Report> ReadReport(int descriptor) {
  Report report;
  ssize_t count = 0;
  do {
    count = ::read(descriptor, &report, sizeof(report));
  } while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(sizeof(report)) ? std::optional(report) : std::nullopt;
}

}  // namespace

SupervisedProgram::SupervisedProgram(const SupervisedStart& start) {
  auto [theirs, ours] = NewSockets();
  const std::vector<char*> argv = PointersTo(start.words);
  const std::vector<char*> envp = PointersTo(start.environment);
  Order order{.argv = argv.data(),
              .envp = envp.data(),
              .folder = start.folder.empty() ? nullptr : start.folder.c_str(),
              .out = start.out,
              .err = start.err,
              .apart = start.out >= 0,
              .grace_ns = static_cast<std::int64_t>(start.grace_s * kSecondNs),
              .parent = theirs.get()};
  // No handler of this process may run in the supervisor.
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &order.mask);
  supervisor_ = ::_Fork();
  const int error = errno;
  if (supervisor_ == 0) {
    ::close(ours.get());  // else it would hold open what it watches
    Supervise(order);
  }
  ::pthread_sigmask(SIG_SETMASK, &order.mask, nullptr);
  std::optional<Report> first;
  if (supervisor_ > 0) {
    theirs = FileDescriptor(-1);
    first = ReadReport(ours.get());
  }
  if (!first || first->kind != Report::kStarted) {
    if (supervisor_ > 0) {
      ::waitpid(supervisor_, nullptr, 0);
    }
    const std::string reason = supervisor_ < 0 ? std::strerror(error)
                               : first         ? std::strerror(first->value)
                                               : "its supervisor was killed";
    throw Error(ErrorKind::kUsage,
                fmt::format("'{}' cannot be started: {}", start.words.front(), reason));
  }
  link_ = std::move(ours);
}

SupervisedProgram::~SupervisedProgram() {
  Kill();
  while (::waitpid(supervisor_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

const std::optional<ProgramEnd>& SupervisedProgram::End() {
  pollfd ready = {link_.get(), POLLIN, 0};
  if (!end_ && ::poll(&ready, 1, 0) == 1) {
    // Without a report the supervisor was killed, and the program with it.
    const Report report =
        ReadReport(link_.get()).value_or(Report{.kind = Report::kEnded, .value = SIGKILL});
    end_ = ProgramEnd{.status = report.value,
                      .seconds = static_cast<double>(report.ns) / static_cast<double>(kSecondNs)};
  }
  return end_;
}

void SupervisedProgram::AskToEnd() {
  Send(kAsk);
}

void SupervisedProgram::Kill() {
  Send(kKill);
}

void SupervisedProgram::Send(char order) const {
  // A supervisor that has ended takes no orders, which is no reason to end here.
  static_cast<void>(::send(link_.get(), &order, 1, MSG_NOSIGNAL));
}

}  // namespace halftone
