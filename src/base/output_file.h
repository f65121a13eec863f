// Output files: how the path that the user named is written, by what lies there.
//
//   nothing, or a regular file   written beside it, flushed to the disk, renamed over it: a reader
//                                and a crash see the old content or the new, never half of it;
//                                the file keeps its permissions
//   symbolic link                followed: the target is written, created if it is not there, and
//                                the link stays a link
//   FIFO, device                 written into, never replaced
//   /dev/stdout, /dev/fd/N       written into the open descriptor of this process, behind what was
//                                written to it before, even where it is a regular file or a socket
//   folder, socket, link loop    Error kIo in one sentence
//
// The file beside it is <name>.partial-<host>-<process>; one that a killed process of this machine
// left is removed by the next process that writes <name>.
//
// All files of halftone but locks and banks are written here (scripts/check_output.py).
#pragma once

#include <filesystem>
#include <string_view>

#include "src/base/error.h"
#include "src/base/file_descriptor.h"

namespace halftone {

// Error kIo when the reader of a written pipe went away (exit code 141).
class ClosedPipe : public Error {
 public:
  explicit ClosedPipe(const std::filesystem::path& path);
};

// Flushing of a regular file to the disk before it is put into its place. kNo: a reader still sees
// the old content or the new, but a crash of the machine may leave an empty file. For files that
// are replaced often and describe only the present.
enum class Flush : bool { kNo, kYes };

class OutputFile {
 public:
  // Creates the folder. A FIFO without a reader is waited for, at most `reader_wait_s`. Error kIo.
  static constexpr double kReaderWait_s = 10;
  explicit OutputFile(const std::filesystem::path& path, double reader_wait_s = kReaderWait_s);

  // Leaves a regular file as it was, unless Finish() was called.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Error kIo, such as a full disk. ClosedPipe in a process that ignores SIGPIPE, as the program
  // does (src/cli/terminal.h); any other process ends there.
  void Write(std::string_view content);

  // After the last Write(): puts a regular file into its place. Error kIo.
  void Finish(Flush flush = Flush::kYes);

  // Tries the path without changing what lies there: for a check before long work. Creates the
  // folder. Error kIo.
  static void Check(const std::filesystem::path& path);

 private:
  std::filesystem::path path_;     // as the user gave it
  std::filesystem::path target_;   // where links lead
  std::filesystem::path partial_;  // empty: written in place
  FileDescriptor file_;
};

// The target of `path` when it is a symbolic link, else `path`; the target need not exist. Error
// kIo: a loop; `doing` names the action in the message.
std::filesystem::path FollowLinks(const std::filesystem::path& path, std::string_view doing);

}  // namespace halftone
