// Folder of a fleet, on a file system that all machines share: the only record of what is done.
//
// clang-format off
//   fleet.json                     {"format":1,"id":...}; id names the fleet's places on local disks
//   rounds/N/plan.json             the plan of a round; never changed
//   rounds/N/lists/                the networks of each job; never changed
//   rounds/N/jobs/                 each job that was submitted: list, elements, the engine's name
//   rounds/N/results/KIND/NET/     result.json, front.json, report.html, points, bank/; appears whole
//   rounds/N/partial/KIND/NET/     bank.*/ of a task that runs or was interrupted, attempts.json
//   rounds/N/running/KIND/NET.json how far a running task is; replaced about once a second
//   rounds/N/replaced/KIND/NET.M/  results that were taken away to be done again
//   rounds/N/report.html, ...      the report of the round; also .md, .csv, .json
//   rounds/N/logs/                 what the jobs print
//   merged/.KIND.list, .KIND.lock  results that are merged, a line each; of the merge that runs
//   merged/KIND/M/                 banks of all results of a kind, of all rounds; the greatest M counts
//   set_aside/KIND/                banks that could not be merged
// clang-format on
//
// A round is one pass over all networks: `fleet submit` begins the first, `fleet retune` the
// others.
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
  std::string job;  // of the engine
  std::string kind;
  std::string purpose;  // "tasks", "merge", "report"
  std::filesystem::path list;
  std::size_t elements = 0;
};

class FleetFolder {
 public:
  // Error kUsage: no fleet there, with what to do.
  static FleetFolder Open(const std::filesystem::path& path);
  // Creates the folder and a first round, or one more. The plan appears complete or not at all.
  // Error kUsage: `first` and there is a fleet; kIo.
  static FleetFolder AddRound(const std::filesystem::path& path, const FleetPlan& plan, bool first);

  // Removes the round, and the fleet if it is the first, after the engine refused it. Does nothing
  // once a job was recorded or a task has begun.
  void RemoveUnusedRound() const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] const std::string& id() const { return id_; }

  // Number of the round that this object describes, from 1; the last one unless AtRound() or
  // OfRound() chose another.
  [[nodiscard]] int round() const { return round_; }

  // The same fleet as of an earlier round. Error kUsage: there is none of that number.
  [[nodiscard]] FleetFolder AtRound(int round) const;

  // AtRound() without a check that the round exists.
  [[nodiscard]] FleetFolder OfRound(int round) const { return {path_, id_, round}; }

  [[nodiscard]] FleetPlan Plan() const;  // Errors kIo, kUsage
  [[nodiscard]] std::filesystem::path RoundFolder() const;
  // The file that a process locks while it adds or submits a round.
  [[nodiscard]] std::filesystem::path SubmitLock() const;
  [[nodiscard]] std::filesystem::path ResultFolder(const FleetItem& item) const;
  [[nodiscard]] std::filesystem::path PartialFolder(const FleetItem& item) const;
  [[nodiscard]] std::filesystem::path ProgressFile(const FleetItem& item) const;
  // Empty: nothing is merged.
  [[nodiscard]] std::filesystem::path MergedBank(const std::string& kind) const;
  // Puts the banks of a folder into its place; tasks that read the one before go on reading it.
  void ReplaceMergedBank(const std::string& kind, const std::filesystem::path& bank) const;

  // Error kUsage: a link in the fleet's folder leads out of it where the item's files lie.
  void RequireInside(const FleetItem& item) const;
  [[nodiscard]] bool HasResult(const FleetItem& item) const;
  // Empty: not finished. Error kUsage: damaged.
  [[nodiscard]] std::optional<FleetResult> Result(const FleetItem& item) const;

  // Lets `fill` write the files of a result into a folder, flushes it to the disk, and moves it
  // into its place. False: a result was there already, or came meanwhile. Errors of `fill`, kIo.
  bool Publish(const FleetItem& item,
               const std::function<void(const std::filesystem::path& folder)>& fill) const;
  // Takes a finished result away, so that the item is to do again; it stays under replaced/.
  void SetAside(const FleetItem& item) const;
  // Number of results of the item that were taken away.
  [[nodiscard]] int Generation(const FleetItem& item) const;
  // Puts the last of them back where there is no result.
  void Restore(const FleetItem& item) const;
  std::filesystem::path WriteList(const std::string& kind,
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
