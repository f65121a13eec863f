// Profile of a configuration: the time of each step.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "src/api/halftone.h"

namespace halftone {

struct ProfileSettings {
  int runs = 10;    // timed runs of each configuration, after a warm-up run
  int threads = 0;  // 0: all cores
  // One element for each configuration or shape. Those beyond the end of the list have no choices.
  std::vector<KernelChoices> choices;
  // Hooks of ProfileRun() and ProfileShapes(). A piece of work is one run.
  RunHooks hooks = {};
};

// Returns for each configuration a map from node name ("cast <value> to <dtype>" for a cast) to the
// median seconds of the node's steps. The configurations run in turns, at the first of `profiles`,
// on its first sample.
std::vector<std::map<std::string, double>> ProfileNodes(
    std::span<const Model> profiles, const TargetSpec& target,
    std::span<const PrecisionOptions> configurations, const DatasetOptions& data,
    const ProfileSettings& settings = {});

// One kernel call of a profiled run.
struct ProfiledStep {
  std::string node;  // or "cast <value> to <dtype>"
  std::string op;
  std::string kernel;  // "in place": no work needed
  std::string dtype;
  std::string output;      // dtype and shape of the first result: "float16 1x64x56x56"
  std::int64_t bytes = 0;  // size of all operands and results; 0 in place
  double median_s = 0;     // median over the runs
  // Start and duration of the step in the run with the median total.
  double start_s = 0;
  double typical_s = 0;
  // Names of the nodes that the step computes, `node` first; empty for casts and moves.
  std::vector<std::string> nodes = {};
};

struct RunProfile {
  std::string model;
  std::string input_shapes;         // NameOfProfile()
  std::vector<ProfiledStep> steps;  // in the order they run
  double total_s = 0;        // median time of a run, including the clock readings between steps
  int runs = 0;              // number of timed runs; 0: stopped before the first one
  bool interrupted = false;  // stopped before ProfileSettings::runs were done
  std::vector<std::string> notes = {};  // one sentence each, about the samples
  int threads = 0;
  std::int64_t arena_bytes = 0;
  std::int64_t liveness_bound_bytes = 0;  // lower bound of the arena for every memory plan
};

// Times every step of one configuration on the first sample. Errors as ResolvePrecision(),
// LoadSamples() and Compile().
RunProfile ProfileRun(const Model& model, const TargetSpec& target,
                      const PrecisionOptions& precision, const DatasetOptions& data,
                      const ProfileSettings& settings = {});

// Does the same at each input shape of a network (src/api/shape_profiles.h), on the first sample of
// the shape. After a stop, the result has fewer profiles, and the last one is `interrupted`.
std::vector<RunProfile> ProfileShapes(std::span<const Model> profiles, const TargetSpec& target,
                                      const PrecisionOptions& precision, const DatasetOptions& data,
                                      const ProfileSettings& settings = {});

// Text for the screen: times by operator, then the longest steps with their shares.
std::string FormatProfile(const RunProfile& profile, std::size_t columns = kColumnsOfFiles);
// JSON of schema 1: the members of RunProfile under their names, without `interrupted` and `notes`.
// Times are in seconds.
std::string ProfileJson(const RunProfile& profile);
// The run with the median total, for chrome://tracing and Perfetto (Trace Event Format, complete
// events).
std::string ProfileTrace(const RunProfile& profile);

}  // namespace halftone
