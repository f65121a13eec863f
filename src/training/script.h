// Settings of a training script, read from Python or from a small YAML or JSON file, as options
// that halftone can explain. docs/guide/training.md lists the forms.
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
  PrecisionArguments arguments;  // graph_run_mode is always set; "1" if the script does not set it
  // Line of each option in the script, by option name.
  std::map<std::string, int, std::less<>> lines;
  std::optional<LossScaling> loss_scaling;  // empty: the script has none
  std::vector<std::string> notes;           // full sentences about parameters without effect
  std::vector<std::string> warnings;        // full sentences with file and line
};

// Parses the script named `where`. An unknown parameter is a warning that names the closest known
// one. Errors as ParseSettings(), ParsePythonScript() and ReadLossScaling(). Error kUsage also,
// with file and line: none or several of the forms, a parameter that the form does not have, a
// value of another kind or out of range, both precision modes (E10056), a session that would ignore
// all settings (use_off_line, remapping), loss scaling on several devices without is_distributed.
TrainingScript ParseTrainingScript(std::string_view text, std::string_view where);

// Checks settings that depend on the effective mode and the model, and returns warnings as full
// sentences: a mixed mode without loss scaling or on top of casts in the model, loss scaling that
// is not needed, customize_dtypes that the mode ignores. In the last case it also clears
// PrecisionOptions::customize_dtypes. Errors as EffectiveMode().
std::vector<std::string> CheckTrainingScript(const TrainingScript& script, const Graph& graph,
                                             PrecisionOptions& options, const TargetSpec& target);

}  // namespace halftone
