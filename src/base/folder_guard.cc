#include "src/base/folder_guard.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

namespace halftone {
namespace {

// A shell, because it is small: a fork of this process would keep its memory. The script tries for
// some seconds, because other processes may still write into the folder.
constexpr const char* kScript =
    "read -r line && exit; for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do "
    "rm -rf -- \"$0\" && exit; sleep 1; done";

pid_t Start(const std::filesystem::path& folder, int end) {
  std::string words[] = {"/bin/sh", "-c", kScript, folder.string()};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  std::string path = "PATH=/usr/bin:/bin";
  char* envp[] = {path.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, end, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  posix_spawn_file_actions_addchdir_np(&files, "/");
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // Signals of a terminal do not reach another session; SIGTERM to all processes of a job may.
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  pid_t process = -1;
  if (::posix_spawn(&process, argv[0], &files, &attributes, argv, envp) != 0) {
    process = -1;
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return process;
}

}  // namespace

FolderGuard::FolderGuard(const std::filesystem::path& folder) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return;
  }
  const FileDescriptor theirs(ends[0]);
  link_ = FileDescriptor(ends[1]);
  process_ = Start(folder, theirs.get());
}

FolderGuard::~FolderGuard() {
  if (process_ < 0) {
    return;
  }
  static_cast<void>(::send(link_.get(), "\n", 1, MSG_NOSIGNAL));
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace halftone
