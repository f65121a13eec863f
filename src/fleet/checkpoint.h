// Checkpoint of a running task in the fleet's folder: a copy of its bank, how often it was begun,
// and its progress for `fleet status`.
//
// What is measured between two checkpoints is lost only if the machine is lost: the bank on its own
// disk has every plan as soon as it is measured.
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

  // Adds what an earlier run of the task left in the fleet's folder to the bank. A damaged copy, or
  // a damaged bank on the machine's disk, is named and left out.
  void Restore();

  // Counts a start of the task. Returns the number of starts since the last answer, this one
  // included, without those that ended in an orderly interruption; kept in the fleet's folder.
  int CountAttempt();
  // Resets the count when the last command has answered: the next one is counted anew.
  void Answered();

  // Seconds that earlier runs of the command took until their last checkpoints.
  [[nodiscard]] double spent_s() const { return earlier_s_; }

  // Copies progress and bank when it is time.
  void Look();

  // Copies the bank. `interrupted`: the task was interrupted in good order, so that this start does
  // not count.
  void Save(bool interrupted);

 private:
  [[nodiscard]] std::vector<std::filesystem::path> Copies() const;
  void CopyLatest();
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
  std::vector<std::filesystem::path> older_;  // copies that the next one replaces
  int copies_ = 0;                            // made by this object
  std::string copied_;                        // the state of the bank that the last copy has
  int attempts_ = 0;
  double earlier_s_ = 0;
  std::chrono::steady_clock::time_point command_begin_;
  bool failed_ = false;  // the last time; said once
  std::chrono::steady_clock::time_point saved_;
  std::chrono::steady_clock::time_point shown_;
};

// Call it after the result is published.
void RemoveCheckpoint(const FleetFolder& folder, const FleetItem& item);

// Copies files and subfolders; names in `but` at the top are left out. Does not flush to the disk,
// since a result is flushed when it is published. Error kIo.
void CopyFolder(const std::filesystem::path& from, const std::filesystem::path& to,
                std::initializer_list<std::string_view> but);

}  // namespace halftone
