// Checkpoint of a running task in the fleet's folder: a copy of its bank, the number of its starts,
// and its progress for `fleet status`.
//
// The bank on the machine's own disk has every plan as soon as it is measured. So the measurements
// after the last checkpoint are lost only with the machine.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "src/fleet/engine.h"
#include "src/fleet/fleet_folder.h"
#include "src/fleet/scratch_folder.h"

namespace halftone {

class Checkpoint {
 public:
  Checkpoint(const FleetFolder& folder, const FleetPlan& plan, const FleetItem& item,
             const TaskPlace& place, const ScratchFolder& scratch,
             std::function<void(std::string_view)> say);

  // Adds the bank copies of earlier runs in the fleet's folder to the bank on the machine's disk. A
  // damaged copy, or a damaged bank on the disk, is left out, with a message.
  void Restore();

  // Counts a start of a command, in the fleet's folder. Returns the number of starts since the last
  // Answered(), this one included, without those that ended by an orderly interruption.
  int CountAttempt();
  // Resets the count: the command has answered.
  void Answered();

  // Seconds that earlier starts of the command took until their last checkpoints.
  [[nodiscard]] double spent_s() const { return earlier_s_; }

  // Copies the progress if the last copy is a second old, and calls Save() if the last one is
  // FleetPlan::checkpoint_s old.
  void Look();

  // Copies the bank if it has changed. `interrupted`: the task ends by an orderly interruption, so
  // that this start does not count. A failure is a message.
  void Save(bool interrupted);

 private:
  [[nodiscard]] std::vector<std::filesystem::path> Copies() const;
  void CopyLatest();
  // Adds the records of a copy to the bank on this machine's disk. What cannot be read is a
  // message.
  void Merge(const std::filesystem::path& copy) const;
  void ShowProgress();
  void WriteCount(int attempts, double spent_s);
  [[nodiscard]] double SecondsOfAll() const;

  const FleetFolder& folder_;
  double every_s_;
  FleetItem item_;
  const TaskPlace& place_;
  const ScratchFolder& scratch_;
  std::function<void(std::string_view)> say_;
  std::string begin_;
  std::vector<std::filesystem::path> older_;  // copies that the next copy replaces
  int copies_ = 0;                            // number of copies that this object made
  std::string copied_;                        // state of the bank in the last copy
  int attempts_ = 0;
  double earlier_s_ = 0;
  std::chrono::steady_clock::time_point command_begin_;
  bool failed_ = false;  // the last Save() failed; several failures in a row give one message
  std::chrono::steady_clock::time_point saved_;
  std::chrono::steady_clock::time_point shown_;
};

// Removes the checkpoint of an item, after its result is published.
void RemoveCheckpoint(const FleetFolder& folder, const FleetItem& item);

// Copies the files and subfolders of a folder, except entries of `from` with a name in `but`. Does
// not flush the copies to the disk, because a result is flushed when it is published. Error kIo.
void CopyFolder(const std::filesystem::path& from, const std::filesystem::path& to,
                std::initializer_list<std::string_view> but);

}  // namespace halftone
