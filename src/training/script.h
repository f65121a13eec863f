// Settings of a training script, from a small YAML or JSON file, as options that halftone can
// explain: docs/guide/training.md lists the forms.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/graph.h"
#include "src/precision/files/option_table.h"
#include "src/target/target_spec.h"
#include "src/training/loss_scale.h"

namespace halftone {

struct TrainingScript {
  PrecisionArguments arguments;  // graph_run_mode is always set: "1" when the script does not say
  // Line of each option in the script, by option name.
  std::map<std::string, int, std::less<>> lines;
  std::optional<LossScaling> loss_scaling;
  std::vector<std::string> notes;     // parameters that do not affect precision
  std::vector<std::string> warnings;  // full sentences with file and line
};

// Parses a script. Error kUsage with file and line: those of ParseSettings(), none or several of
// the forms, a parameter that the form does not have, a value of another kind or out of range, both
// precision modes (E10056), a session whose set-up disables all of this (use_off_line, remapping),
// loss scaling over several devices without is_distributed, those of ReadLossScaling(). An unknown
// parameter is a warning that names the closest.
TrainingScript ParseTrainingScript(std::string_view text, std::string_view where);

// Warnings that need the resolved mode and the model: a mixed mode without loss scaling or on top
// of casts by hand, loss scaling that is not needed, customize_dtypes that the mode ignores. Full
// sentences. Errors as EffectiveMode().
std::vector<std::string> CheckTrainingScript(const TrainingScript& script, const Graph& graph,
                                             PrecisionOptions& options, const TargetSpec& target);

}  // namespace halftone
