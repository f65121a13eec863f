// A plan as files for a measuring command, with the facts that the command reports of it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "search/measure/runtime.h"
#include "src/base/hash.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"
#include "src/runtimes/command/command_answer.h"
#include "src/runtimes/plan_files.h"

namespace halftone {

class CommandPlan : public BuiltPlan {
 public:
  // `folder` is deleted with the object. `description` is that of the runtime.
  CommandPlan(std::filesystem::path folder, PlanFiles files, PrecisionPlan plan,
              const std::string& description);
  ~CommandPlan() override;
  CommandPlan(const CommandPlan&) = delete;
  CommandPlan& operator=(const CommandPlan&) = delete;

  [[nodiscard]] const RuntimeRun& facts() const override { return facts_; }

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  // Folder of the files of the plan.
  [[nodiscard]] std::filesystem::path files_folder() const { return folder_ / "files"; }

  [[nodiscard]] const PlanFiles& files() const { return files_; }

  [[nodiscard]] const PrecisionPlan& plan() const { return plan_; }

  // Hash of all that an engine depends on: the files, the network and the command. Error kIo.
  [[nodiscard]] Hash128 Digest(const Hash128& network, const std::string& command) const;

  // Stores the facts of an answer. `wall_s`: seconds that the call took.
  void TakeFacts(const CommandAnswer& answer, double wall_s, const Graph& network,
                 const std::string& description);

  // A folder for new outputs. It does not hold the stored ones.
  [[nodiscard]] std::filesystem::path OutputsFolder() const;

  // Stored outputs on a dataset, for Run().
  struct Outputs {
    Hash128 data;  // hash of the dataset
    std::filesystem::path folder;
  };

  [[nodiscard]] const std::optional<Outputs>& outputs() const { return outputs_; }

  // Stores `folder`, which holds the outputs of `samples` samples of the dataset with the hash
  // `data`. Outputs outside OutputsFolder() are copied there, since later calls overwrite the
  // originals. Returns the folder that holds the outputs. Errors as OutputFolder; kIo.
  const std::filesystem::path& Keep(const Hash128& data, std::filesystem::path folder,
                                    std::size_t samples, const Graph& network);

  std::filesystem::path home;  // folder of this plan's engine; set by the runtime

  [[nodiscard]] RuntimeRun& mutable_facts() { return facts_; }

 private:
  std::filesystem::path folder_;
  PlanFiles files_;
  PrecisionPlan plan_;
  RuntimeRun facts_;
  bool was_called_ = false;
  std::optional<Outputs> outputs_;
};

}  // namespace halftone
