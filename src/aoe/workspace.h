// The folder of a job, <root>/aoe_workspace/<model>_<timestamp>, and its use by --reload.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "src/aoe/job.h"

namespace halftone {

struct AoeWorkspace {
  std::filesystem::path folder;
  std::string timestamp;

  // Folder of the tuned configuration without --output.
  [[nodiscard]] std::filesystem::path ResultFolder(std::string_view model) const;
};

// Writes `state` ("running", "interrupted", "finished", "failed") and the options to the folder's
// job.json. A process that was killed leaves "running".
void RecordAoeJob(const AoeWorkspace& workspace, const AoeJob& job, std::string_view state);

// Makes the folder of a new job, with a later timestamp (digits) where another job has this one.
AoeWorkspace NewAoeWorkspace(const AoeJob& job, std::string_view model, std::string_view timestamp);

// The job in `folder`, to be continued. Errors kUsage: no job there, a finished one, other options
// or another bank (naming the first difference), an unreadable job.json.
AoeWorkspace OpenInterruptedJob(const AoeJob& job, const std::filesystem::path& folder);

// The job that --reload continues: the named folder, else the newest of this model that was not
// finished. Errors as OpenInterruptedJob(), and kUsage where there is none.
AoeWorkspace FindInterruptedJob(const AoeJob& job, std::string_view model);

}  // namespace halftone
