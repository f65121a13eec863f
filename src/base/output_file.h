// Output files. The treatment of a path depends on what exists there:
//
//   nothing, or a regular file   A new file is written beside the path, flushed to the disk, and
//                                renamed to the path. Readers, also after a crash, see the old or
//                                the new content. The file keeps its permissions.
//   symbolic link                The target is written, and created if it is missing. The link
//                                stays.
//   FIFO, device                 Data are written into it; it is never replaced.
//   /dev/stdout, /dev/fd/N       Data are appended to the open descriptor of this process, even if
//                                it is a regular file or a socket.
//   folder, socket, link loop    Error kIo.
//
// The new file is called <name>.partial-<host>-<process> until it is renamed. If a process is
// killed before, the next process of this machine that writes <name> removes the file.
//
// All files of halftone except locks and banks are written here (scripts/check_output.py).
#pragma once

#include <filesystem>
#include <string_view>

#include "src/base/error.h"
#include "src/base/file_descriptor.h"

namespace halftone {

// Error kIo: nobody reads a pipe that is written any more. Exit code 141.
class ClosedPipe : public Error {
 public:
  explicit ClosedPipe(const std::filesystem::path& path);
};

// kYes flushes a regular file to the disk before it is renamed to its path. kNo does not: readers
// still see the old or the new content, but after a crash of the machine the file may be empty. kNo
// is for files that are replaced often and describe only the present.
enum class Flush : bool { kNo, kYes };

class OutputFile {
 public:
  // Opens the file for writing and creates its folder. Waits at most `reader_wait_s` seconds for
  // the reader of a FIFO. Error kIo.
  static constexpr double kReaderWait_s = 10;
  explicit OutputFile(const std::filesystem::path& path, double reader_wait_s = kReaderWait_s);

  // Leaves the old content of a regular file unless Finish() was called.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Appends to the content. Errors: kIo, such as a full disk; ClosedPipe, if the process ignores
  // SIGPIPE, as the program does (src/cli/terminal.h). Otherwise SIGPIPE ends the process.
  void Write(std::string_view content);

  // Call it after the last Write(): renames a regular file to its path. Error kIo.
  void Finish(Flush flush = Flush::kYes);

  // Checks before long work that the path can be written. Creates the folder, but does not change
  // what exists at the path. Error kIo.
  static void Check(const std::filesystem::path& path);

 private:
  std::filesystem::path path_;     // as the user gave it
  std::filesystem::path target_;   // with links resolved
  std::filesystem::path partial_;  // the new file beside target_; empty: data go to target_ itself
  FileDescriptor file_;
};

// Returns the target of `path` if it is a symbolic link, else `path`. The target need not exist.
// Error kIo: a loop of links; `doing` names the action in the message.
std::filesystem::path FollowLinks(const std::filesystem::path& path, std::string_view doing);

}  // namespace halftone
