// Folder of a fleet, on a file system that all machines share. It is the only record of what is
// done.
//
// clang-format off
//   fleet.json                     {"format":1,"id":...}; the id is part of names on local disks
//   submit.lock                    lock of the process that adds or submits a round
//   rounds/N/plan.json             plan of the round; never changed
//   rounds/N/lists/                networks of each job; never changed
//   rounds/N/jobs/                 record of each submitted job (FleetJobRecord)
//   rounds/N/results/KIND/NET/     result.json, front.json, report.html, bank/, ...; appears whole
//   rounds/N/partial/KIND/NET/     checkpoint of an unfinished task: bank.*/, attempts.json
//   rounds/N/running/KIND/NET.json progress of a running task; replaced about once a second
//   rounds/N/replaced/KIND/NET.M/  results that were taken away to be done again
//   rounds/N/report.html, ...      report of the round; also .md, .csv, .json
//   rounds/N/logs/                 output of the jobs
//   merged/.KIND.list              names of the merged results, one line each
//   merged/.KIND.lock              lock of a running merge
//   merged/KIND/M/                 merged banks of all results of the kind; the largest M counts
//   set_aside/KIND/                banks that could not be merged
// clang-format on
//
// A round is one pass over all networks. `fleet submit` begins the first round, and `fleet retune`
// each further one.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/fleet/fleet_plan.h"
#include "src/fleet/fleet_result.h"

namespace halftone {

struct FleetJobRecord {
  std::string job;  // name of the job in the engine
  std::string kind;
  std::string purpose;  // "tasks", "merge", "report"
  std::filesystem::path list;
  std::size_t elements = 0;
};

class FleetFolder {
 public:
  // Opens a fleet at its last round. Error kUsage if there is no fleet.
  static FleetFolder Open(const std::filesystem::path& path);
  // Creates the folder with a first round, or adds a round to it. The plan appears complete or not
  // at all. Errors: kUsage if `first` is true and there is a fleet; kIo.
  static FleetFolder AddRound(const std::filesystem::path& path, const FleetPlan& plan, bool first);

  // Removes a round that the engine refused, and with the first round the fleet. Does nothing once
  // a job was recorded or a task has begun.
  void RemoveUnusedRound() const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] const std::string& id() const { return id_; }

  // Number, from 1, of the round to which the functions of this object refer.
  [[nodiscard]] int round() const { return round_; }

  // The same fleet at another round. Error kUsage if there is no such round.
  [[nodiscard]] FleetFolder AtRound(int round) const;

  // AtRound() without a check that the round exists.
  [[nodiscard]] FleetFolder OfRound(int round) const { return {path_, id_, round}; }

  [[nodiscard]] FleetPlan Plan() const;  // Errors: kIo; kUsage
  [[nodiscard]] std::filesystem::path RoundFolder() const;
  // File that a process locks while it adds or submits a round.
  [[nodiscard]] std::filesystem::path SubmitLock() const;
  [[nodiscard]] std::filesystem::path ResultFolder(const FleetItem& item) const;
  [[nodiscard]] std::filesystem::path PartialFolder(const FleetItem& item) const;
  [[nodiscard]] std::filesystem::path ProgressFile(const FleetItem& item) const;
  // Folder of the current merged bank; empty: nothing is merged.
  [[nodiscard]] std::filesystem::path MergedBank(const std::string& kind) const;
  // Copies the bank in the folder `bank`; the copy becomes the current merged bank. The previous
  // merged bank stays, for tasks that are reading it, and the second last is removed.
  void ReplaceMergedBank(const std::string& kind, const std::filesystem::path& bank) const;

  // Error kUsage if a link on the path to the item's files leads out of the fleet's folder.
  void RequireInside(const FleetItem& item) const;
  [[nodiscard]] bool HasResult(const FleetItem& item) const;
  // Result of an item; empty: it is not finished. Errors: kUsage for a damaged result; kIo.
  [[nodiscard]] std::optional<FleetResult> Result(const FleetItem& item) const;

  // Publishes a result: calls `fill`, which writes its files into a folder, flushes the folder to
  // the disk and moves it to ResultFolder(). False: there is a result already, maybe since a moment
  // ago. Errors: kUsage as RequireInside(); kIo; those of `fill`.
  bool Publish(const FleetItem& item,
               const std::function<void(const std::filesystem::path& folder)>& fill) const;
  // Moves the result of an item to replaced/, so that the item is done again.
  void SetAside(const FleetItem& item) const;
  // Number of results of the item in replaced/.
  [[nodiscard]] int Generation(const FleetItem& item) const;
  // Moves the last result of the item in replaced/ back, unless the item has a result.
  void Restore(const FleetItem& item) const;
  // Writes the networks of a job into a new file in lists/, and returns its path.
  [[nodiscard]] std::filesystem::path WriteList(const std::string& kind,
                                                const std::vector<std::string>& networks) const;
  [[nodiscard]] static std::vector<std::string> ReadList(const std::filesystem::path& list);

  void AddJob(const FleetJobRecord& job) const;
  [[nodiscard]] std::vector<FleetJobRecord> Jobs() const;

 private:
  FleetFolder(std::filesystem::path path, std::string id, int round);

  [[nodiscard]] std::filesystem::path ListOf(const std::filesystem::path& recorded) const;

  std::filesystem::path path_;
  std::string id_;
  int round_;
};

}  // namespace halftone
