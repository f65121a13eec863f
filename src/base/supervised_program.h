// A program with a supervisor: a process between this process and the program. The supervisor ends
// every process that the program has started, even in another session or with a parent that has
// ended. It ends the program when this process ends, for whatever reason.
//
// The supervisor is a fork that only makes system calls, because this process may have threads. It
// adopts orphans (prctl, PR_SET_CHILD_SUBREAPER) and watches a socket that this process holds open.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/base/file_descriptor.h"

namespace halftone {

struct SupervisedStart {
  const std::vector<std::string>& words;        // at least one; the first is looked up in PATH
  const std::vector<std::string>& environment;  // items NAME=value
  std::filesystem::path folder = {};  // working directory of the program; empty: of this process
  // Descriptors for standard output and standard error; the program then has a session of its own
  // and an empty standard input. Negative: the program has all streams of this process and stays in
  // its process group.
  int out = -1;
  int err = -1;
  // Seconds between SIGTERM and SIGKILL, for the program when this process has ended, and for
  // processes that the program has left behind (2 s at most). 0: SIGKILL at once.
  double grace_s = 0;
};

struct ProgramEnd {
  int status = 0;      // as waitpid() gives it
  double seconds = 0;  // from start to end of the program
};

// Not thread safe.
class SupervisedProgram {
 public:
  // Starts the program. Errors: kUsage, with the system's reason, if it cannot be started; kIo if
  // the system gives no socket.
  explicit SupervisedProgram(const SupervisedStart& start);

  // Calls Kill() and waits until all these processes have ended.
  ~SupervisedProgram();
  SupervisedProgram(const SupervisedProgram&) = delete;
  SupervisedProgram& operator=(const SupervisedProgram&) = delete;

  // A descriptor that becomes readable when End() is known, for poll().
  [[nodiscard]] int ready() const { return link_.get(); }

  // Returns the end of the program; empty while the program or a process that it has started still
  // runs. Does not wait.
  [[nodiscard]] const std::optional<ProgramEnd>& End();

  // Sends SIGTERM to the process group of the program, or to the program alone if it is in the
  // group of this process.
  void AskToEnd();

  // Sends SIGKILL to the program and to every process that it has started.
  void Kill();

 private:
  void Send(char order) const;

  FileDescriptor link_{-1};  // to the supervisor; it closes when this process ends
  int supervisor_ = -1;
  std::optional<ProgramEnd> end_;
};

}  // namespace halftone
