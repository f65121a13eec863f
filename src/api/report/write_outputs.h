// Files of a tuning run in --output: the reports, and an option folder for each point of the front.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/api/halftone.h"
#include "src/api/options/point_record.h"
#include "src/api/point_models.h"
#include "src/precision/files/write_files.h"
#include "src/report/tune_summary.h"

namespace halftone {

struct DumpedProfile;  // src/qaic/profile_file.h

// Returns the options that give the same plan in the same mode with the fewest lines in their
// files; `options` itself if none has fewer. Errors as ResolvePrecision().
PrecisionOptions FewestLines(const Graph& graph, const TargetSpec& target,
                             const PrecisionOptions& options);

// Returns the kernel choices with which a plan was measured; empty: the static order.
using KernelsOfPlan = std::function<std::optional<PointKernels>(const PrecisionPlan&)>;

// Content of the folder of a point beside its options.
struct PointContent {
  const OptionFiles& sources;  // PlanSourcesOf() of the network
  KernelsOfPlan kernels;
  PointModels models;
  bool v2_names = false;  // true: names the mode by --precision_mode_v2 if that has a name for it
  // Profile of --load_profile, into which the profile of a point puts its ranges; null: none.
  const DumpedProfile* dumped_profile = nullptr;
};

// Writes the reports of src/report/formats.h and the folders point_1, point_2, ... Removes the
// option sets in further point folders of an earlier run, so that `output` never mixes two runs.
// Returns the summary with the folder and the arguments of every point that option files can
// express, and with a warning if model files are missing for a reason other than the plan. Error
// kIo.
TuneSummary WriteOutputs(TuneSummary summary, const Model& model, const TargetSpec& target,
                         const PointContent& content, const std::filesystem::path& output);

struct WrittenPoint {
  OptionFiles options;
  std::string failure;  // WrittenModels::failure
  std::vector<std::string> warnings;
};

// Writes the folder of one point: its options with FewestLines(), `content`, and `measured`, its
// text of MeasuredPoints(). Errors: kIo; as WriteOptionFiles().
WrittenPoint WritePointFolder(const std::filesystem::path& folder, const Trial& trial,
                              const Model& model, const TargetSpec& target,
                              const PointContent& content, std::string measured);

// Creates the folder and checks that reports can be written into it; changes none of its files.
// Error kIo.
void CheckWritable(const std::filesystem::path& output);

}  // namespace halftone
