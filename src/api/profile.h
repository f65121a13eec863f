// Time of a configuration by step.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "src/api/halftone.h"

namespace halftone {

struct ProfileSettings {
  int runs = 10;    // timed runs of each configuration, after one that warms up
  int threads = 0;  // 0: all cores
  // Choices for each configuration or shape; a shorter list has none for the others.
  std::vector<KernelChoices> choices;
  RunHooks hooks = {};  // of ProfileRun(): runs are the pieces of work
};

// For each configuration, the median seconds of every step by its node's name ("cast <value> to
// <dtype>" for a cast), on the first sample. The configurations run in turns, at the first profile
// that samples fit.
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
  std::string output;      // "float16 1x64x56x56" of the first result, as the kernel writes it
  std::int64_t bytes = 0;  // of operands and results together; 0 in place
  double median_s = 0;     // over the runs
  double start_s = 0;  // in the run whose total is the median; `typical_s` is its duration there
  double typical_s = 0;
  std::vector<std::string> nodes = {};  // that it computes, `node` first; empty for casts and moves
};

struct RunProfile {
  std::string model;
  std::string input_shapes;         // NameOfProfile()
  std::vector<ProfiledStep> steps;  // in the order they run
  double total_s = 0;               // median over the runs, clock readings between steps included
  int runs = 0;                     // 0: stopped before the first one
  bool interrupted = false;         // before all of ProfileSettings::runs
  std::vector<std::string> notes = {};  // on the samples, a sentence each
  int threads = 0;
  std::int64_t arena_bytes = 0;
  std::int64_t liveness_bound_bytes = 0;  // lower bound for every memory plan
};

// Times every step of one configuration on the first sample. Error as RunConfiguration().
RunProfile ProfileRun(const Model& model, const TargetSpec& target,
                      const PrecisionOptions& precision, const DatasetOptions& data,
                      const ProfileSettings& settings = {});

// The same at each input shape of a network (src/api/shape_profiles.h), on the first sample that
// has it. Stopped, it returns fewer profiles, the last of which is interrupted.
std::vector<RunProfile> ProfileShapes(std::span<const Model> profiles, const TargetSpec& target,
                                      const PrecisionOptions& precision, const DatasetOptions& data,
                                      const ProfileSettings& settings = {});

// Sums by operator, then the steps that take longest, with their share.
std::string FormatProfile(const RunProfile& profile, std::size_t columns = kColumnsOfFiles);
// Schema 1: the members of RunProfile under their names, seconds as numbers.
std::string ProfileJson(const RunProfile& profile);
// The median run for chrome://tracing and Perfetto (Trace Event Format, complete events).
std::string ProfileTrace(const RunProfile& profile);

}  // namespace halftone
