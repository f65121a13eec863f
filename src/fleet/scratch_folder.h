// Folder of a task on the machine's own disk. It outlives the process, so that the next run
// continues with what was measured there.
#pragma once

#include <filesystem>

#include "src/base/file_lock.h"
#include "src/fleet/fleet_folder.h"

namespace halftone {

// Path of a task's folder below halftone-fleet-<user id> in the scratch folder of a machine.
std::filesystem::path ScratchName(const FleetFolder& folder, const FleetItem& item);

class ScratchFolder {
 public:
  // Waits until no other copy of the task on this machine holds it. `waiting` is called every
  // second; true ends the wait. Error kIo: also where the folder is another user's.
  ScratchFolder(const std::filesystem::path& scratch, const FleetFolder& folder,
                const FleetItem& item, const std::function<bool()>& waiting);

  // False: the wait was ended, and nothing may be done.
  [[nodiscard]] bool held() const { return lock_ != nullptr; }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] std::filesystem::path bank() const { return path_ / "bank"; }

  [[nodiscard]] std::filesystem::path output() const { return path_ / "out"; }

  [[nodiscard]] std::filesystem::path progress() const { return path_ / "progress.json"; }

  // File that marks a finished task whose result is not published yet.
  [[nodiscard]] std::filesystem::path result() const { return output() / "result.json"; }

  // Call it after the result is published; does nothing where another copy of the task holds the
  // folder.
  void Remove();

 private:
  void DropOlderOutput();

  std::filesystem::path path_;
  std::string generation_;
  std::unique_ptr<FileLock> lock_;
};

}  // namespace halftone
