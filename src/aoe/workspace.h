// Folder of a job, <root>/aoe_workspace/<model>_<timestamp>, from which --reload continues it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "src/aoe/job.h"

namespace halftone {

struct AoeWorkspace {
  std::filesystem::path folder;
  std::string timestamp;

  // Folder for the tuned configuration if --output is not given.
  [[nodiscard]] std::filesystem::path ResultFolder(std::string_view model) const;
};

// Writes `state` ("running", "interrupted", "finished", "failed") and AoeJob::identity to job.json
// in the folder. A killed process leaves the state "running".
void RecordAoeJob(const AoeWorkspace& workspace, const AoeJob& job, std::string_view state);

// Creates the folder of a new job. If another job has this timestamp (digits), uses the next free
// number.
AoeWorkspace NewAoeWorkspace(const AoeJob& job, std::string_view model, std::string_view timestamp);

// Opens the job in `folder` to continue it. Error kUsage: there is no job, it is finished, it had
// other options or another bank (naming the first difference), or its job.json is malformed.
AoeWorkspace OpenInterruptedJob(const AoeJob& job, const std::filesystem::path& folder);

// Opens the job that --reload continues: job.reload_folder or, if that is empty, the newest
// unfinished job of this model and job type. Error kUsage if there is none; as
// OpenInterruptedJob().
AoeWorkspace FindInterruptedJob(const AoeJob& job, std::string_view model);

}  // namespace halftone
