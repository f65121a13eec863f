// Files of a tuning run under --output: reports, and a folder of configuration files per front
// point.
#pragma once

#include <filesystem>
#include <string>

#include "src/report/tune_summary.h"

namespace halftone {

// Fills folder and arguments of every point and writes everything: every format of
// src/report/formats.h, point_1/, point_2/, ... Point folders of an earlier run that are not
// written again are removed, so that the folder never mixes two runs. `fusion_switches` as Model
// has it. Error kIo.
void WriteOutputs(TuneSummary& summary, const std::string& fusion_switches,
                  const std::filesystem::path& output);

// Creates the folder and tries to write the reports into it, without a change to what lies there.
// Error kIo.
void CheckWritable(const std::filesystem::path& output);

}  // namespace halftone
