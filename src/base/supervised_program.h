// Program with a supervisor, a process between this one and the program. It ends all that the
// program started, however that hides (another session, a parent that ended), and it ends the
// program when this process ends, for whatever reason.
//
// The supervisor is a fork that runs system calls alone, as a program with threads allows. It
// adopts orphans (prctl, PR_SET_CHILD_SUBREAPER) and watches a socket that this process holds open.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/base/file_descriptor.h"

namespace halftone {

struct SupervisedStart {
  const std::vector<std::string>& words;        // the first is looked up in PATH; at least one
  const std::vector<std::string>& environment;  // NAME=value
  std::filesystem::path folder = {};  // the program starts in it; empty: in that of this process
  // Descriptors that become its streams. Negative: the program has the streams of this process,
  // including standard input, and stays in its process group. Else it has a session of its own and
  // an empty standard input.
  int out = -1;
  int err = -1;
  // Seconds between SIGTERM and SIGKILL when this process has ended, and for processes that the
  // program leaves behind; 0: SIGKILL at once.
  double grace_s = 0;
};

struct ProgramEnd {
  int status = 0;      // as of waitpid()
  double seconds = 0;  // from its start to its end
};

class SupervisedProgram {
 public:
  // Error kUsage: it cannot be started, with the reason of the system.
  explicit SupervisedProgram(const SupervisedStart& start);

  // Ends the program and all that it started, as Kill() does, and waits for that.
  ~SupervisedProgram();
  SupervisedProgram(const SupervisedProgram&) = delete;
  SupervisedProgram& operator=(const SupervisedProgram&) = delete;

  // A descriptor that can be read once End() is known.
  [[nodiscard]] int ready() const { return link_.get(); }

  // Known once the program and all that it started have ended; does not wait.
  [[nodiscard]] const std::optional<ProgramEnd>& End();

  // SIGTERM to the process group of the program; without a session of its own to the program alone.
  void AskToEnd();

  // SIGKILL to the program and to all that it started.
  void Kill();

 private:
  void Send(char order) const;

  FileDescriptor link_{-1};  // to the supervisor, which sees by it that this process has ended
  int supervisor_ = -1;
  std::optional<ProgramEnd> end_;
};

}  // namespace halftone
