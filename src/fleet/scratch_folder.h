// Folder of a task on the machine's own disk. It outlives the process, so that the next run of the
// task on this machine continues with its measurements.
#pragma once

#include <filesystem>

#include "src/base/file_lock.h"
#include "src/fleet/fleet_folder.h"

namespace halftone {

// Path of a task's folder relative to halftone-fleet-<user id> in the scratch folder of a machine.
std::filesystem::path ScratchName(const FleetFolder& folder, const FleetItem& item);

class ScratchFolder {
 public:
  // Creates and locks the folder. Waits while another copy of the task on this machine holds it;
  // `waiting` is called every second, and a true result ends the wait. Error kIo, also if the
  // folder belongs to another user.
  ScratchFolder(const std::filesystem::path& scratch, const FleetFolder& folder,
                const FleetItem& item, const std::function<bool()>& waiting);

  // False: the wait was ended, and the folder must not be used.
  [[nodiscard]] bool held() const { return lock_ != nullptr; }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] std::filesystem::path bank() const { return path_ / "bank"; }

  [[nodiscard]] std::filesystem::path output() const { return path_ / "out"; }

  [[nodiscard]] std::filesystem::path progress() const { return path_ / "progress.json"; }

  // File whose presence marks a finished task that is not published yet.
  [[nodiscard]] std::filesystem::path result() const { return output() / "result.json"; }

  // Removes the folder, after the result is published. Does nothing if held() is false.
  void Remove();

 private:
  void DropOlderOutput();

  std::filesystem::path path_;
  std::string generation_;
  std::unique_ptr<FileLock> lock_;
};

}  // namespace halftone
