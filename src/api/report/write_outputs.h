// Files of a tuning run under --output: reports, and a folder of configuration files per front
// point.
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

// Options with the fewest lines for the same plan in the same mode; `options` where none has fewer.
// Errors as ResolvePrecision().
PrecisionOptions FewestLines(const Graph& graph, const TargetSpec& target,
                             const PrecisionOptions& options);

// Kernels that a point's measurement used; empty: the static order.
using KernelsOfPlan = std::function<std::optional<PointKernels>(const PrecisionPlan&)>;

// Content of folders of points besides the options.
struct PointContent {
  const OptionFiles& sources;  // PlanSourcesOf() the model
  KernelsOfPlan kernels;
  PointModels models;
  bool v2_names = false;  // --precision_mode_v2 where the mode has a name there
  const DumpedProfile* dumped_profile = nullptr;  // source of the points' profiles; null: none
};

// Writes every format of src/report/formats.h, point_1/, point_2/, ... Point folders of an earlier
// run that are not written again are removed, so that the folder never mixes two runs. Returns the
// summary with folder and arguments of every point, and a warning where model files are missing
// for other reasons than the plan. Error kIo.
TuneSummary WriteOutputs(TuneSummary summary, const Model& model, const TargetSpec& target,
                         const PointContent& content, const std::filesystem::path& output);

struct WrittenPoint {
  OptionFiles options;
  std::string failure;  // WrittenModels::failure
  std::vector<std::string> warnings;
};

// Writes the folder of one point: its options with the fewest lines, its MeasuredPoints() text and
// `content`. Errors: as WriteOptionFiles(), kIo.
WrittenPoint WritePointFolder(const std::filesystem::path& folder, const Trial& trial,
                              const Model& model, const TargetSpec& target,
                              const PointContent& content, std::string measured);

// Creates the folder and checks that reports can be written into it, without changing its content.
// Error kIo.
void CheckWritable(const std::filesystem::path& output);

}  // namespace halftone
