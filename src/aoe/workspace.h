// The folder of a job, <root>/aoe_workspace/<model>_<timestamp>, and what --reload finds there.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "src/aoe/job.h"

namespace halftone {

struct AoeWorkspace {
  std::filesystem::path folder;
  std::string timestamp;

  // Where the tuned configuration goes when --output is not given.
  [[nodiscard]] std::filesystem::path ResultFolder(std::string_view model) const;
};

// "running", "interrupted", "finished", "failed": written to the folder's job.json, with what the
// user asked for. A process that was killed leaves "running".
void RecordAoeJob(const AoeWorkspace& workspace, const AoeJob& job, std::string_view state);

AoeWorkspace NewAoeWorkspace(const AoeJob& job, std::string_view model, std::string_view timestamp);

// The job in `folder`, to be continued. Errors kUsage: no job there, one that was finished, one
// with other options or another bank (naming the first difference), a job.json that cannot be read.
AoeWorkspace OpenInterruptedJob(const AoeJob& job, const std::filesystem::path& folder);

// The job that --reload continues: the named folder, else the newest of this model that was not
// finished. Errors as OpenInterruptedJob(), and kUsage where there is none.
AoeWorkspace FindInterruptedJob(const AoeJob& job, std::string_view model);

}  // namespace halftone
