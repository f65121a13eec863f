// Folder of a fleet, on a file system that all machines share: the one truth about what is done.
//
//   fleet.json                    {"format":1,"id":...}: a fleet; id names its places on local
//   disks rounds/N/plan.json            the plan of a round; never changed rounds/N/lists/ items of
//   each job; never changed rounds/N/jobs/                a job each that was submitted: its list,
//   elements, engine's name rounds/N/results/KIND/NET/    result.json, front.json, report.html,
//   points, bank/: appears whole rounds/N/partial/KIND/NET/    bank/ of a task that runs or was
//   interrupted; attempts.json rounds/N/running/KIND/NET.json  the progress of a running task,
//   replaced about once a second rounds/N/report.html, .md, .csv, .json rounds/N/logs/ what tasks
//   print merged/KIND/<target>/halftone.db  the banks of all results of a kind, of all rounds
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

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] const std::string& id() const { return id_; }

  // Number of the last round, from 1; this object speaks of it.
  [[nodiscard]] int round() const { return round_; }

  // The same fleet as of an earlier round. Error kUsage: there is none of that number.
  [[nodiscard]] FleetFolder AtRound(int round) const;

  [[nodiscard]] FleetPlan Plan() const;  // Errors kIo, kUsage
  [[nodiscard]] std::filesystem::path RoundFolder() const;
  [[nodiscard]] std::filesystem::path ResultFolder(const FleetItem& item) const;
  [[nodiscard]] std::filesystem::path PartialFolder(const FleetItem& item) const;
  [[nodiscard]] std::filesystem::path ProgressFile(const FleetItem& item) const;
  [[nodiscard]] std::filesystem::path MergedBank(const std::string& kind) const;

  [[nodiscard]] bool HasResult(const FleetItem& item) const;
  // Empty: not finished. Error kUsage: damaged.
  [[nodiscard]] std::optional<FleetResult> Result(const FleetItem& item) const;

  // Moves `folder`, which lies beside results/ on the same file system, into the place of the
  // item's result. False: there is one already, and `folder` is removed.
  bool Publish(const std::filesystem::path& folder, const FleetItem& item) const;
  // Takes a finished result away, so that the item is to do again; it stays under replaced/.
  void SetAside(const FleetItem& item) const;
  // A new folder in which a result is put together.
  [[nodiscard]] std::filesystem::path NewIncoming(const FleetItem& item) const;

  std::filesystem::path WriteList(const std::string& kind,
                                  const std::vector<std::string>& networks) const;
  [[nodiscard]] static std::vector<std::string> ReadList(const std::filesystem::path& list);

  void AddJob(const FleetJobRecord& job) const;
  [[nodiscard]] std::vector<FleetJobRecord> Jobs() const;

 private:
  FleetFolder(std::filesystem::path path, std::string id, int round);

  std::filesystem::path path_;
  std::string id_;
  int round_;
};

}  // namespace halftone
