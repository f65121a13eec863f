#include "src/training/parameter_table.h"

#include <limits>

namespace halftone {
namespace {

using Kind = ParameterKind;

constexpr std::uint8_t kEverywhere = kInRunConfig | kInParameterMap | kInGlobalOptions;
constexpr std::uint8_t kTensorFlow1 = kInRunConfig | kInParameterMap;
constexpr std::string_view kTuning = "halftone aoe tunes; this file is only explained";
constexpr std::string_view kCache = "it decides when operators are compiled, not how";

// Source: TensorFlow Model Porting Guides, NPURunConfig, session configuration and
// npu.global_options.
constexpr ParameterRow kParameters[] = {
    {.name = "precision_mode",
     .kind = Kind::kText,
     .forms = kEverywhere,
     .argument = &PrecisionArguments::precision_mode},
    {.name = "precision_mode_v2",
     .kind = Kind::kText,
     .forms = kEverywhere,
     .argument = &PrecisionArguments::precision_mode_v2},
    {.name = "modify_mixlist",
     .kind = Kind::kText,
     .forms = kEverywhere,
     .argument = &PrecisionArguments::modify_mixlist},
    {.name = "customize_dtypes",
     .kind = Kind::kText,
     .forms = kEverywhere,
     .argument = &PrecisionArguments::customize_dtypes},
    {.name = "op_precision_mode",
     .kind = Kind::kText,
     .forms = kEverywhere,
     .argument = &PrecisionArguments::op_precision_mode},
    {.name = "op_select_implmode",
     .kind = Kind::kText,
     .forms = kEverywhere,
     .argument = &PrecisionArguments::op_select_implmode},
    {.name = "optypelist_for_implmode",
     .kind = Kind::kText,
     .forms = kEverywhere,
     .argument = &PrecisionArguments::optypelist_for_implmode},
    {.name = "graph_run_mode",
     .kind = Kind::kInteger,
     .forms = kTensorFlow1,
     .argument = &PrecisionArguments::graph_run_mode,
     .most = 1},
    {.name = "enable_small_channel",
     .kind = Kind::kInteger,
     .forms = kTensorFlow1,
     .most = 1,
     .note = "it changes the layout of convolutions, not their dtypes"},
    {.name = "aoe_mode",
     .kind = Kind::kText,
     .forms = kTensorFlow1,
     .choices = "1,2,4",
     .note = kTuning},
    {.name = "work_path", .kind = Kind::kText, .forms = kTensorFlow1, .note = kTuning},
    {.name = "aoe_config_file", .kind = Kind::kText, .forms = kTensorFlow1, .note = kTuning},
    {.name = "op_compiler_cache_mode", .kind = Kind::kText, .forms = kTensorFlow1, .note = kCache},
    {.name = "op_compiler_cache_dir", .kind = Kind::kText, .forms = kTensorFlow1, .note = kCache},
    {.name = "deterministic",
     .kind = Kind::kInteger,
     .forms = kTensorFlow1,
     .most = 1,
     .note = "it fixes the order of sums, not their dtypes"},
    {.name = "enable_reduce_precision",
     .kind = Kind::kBoolean,
     .forms = kInRunConfig,
     .note = "no public text says what it lowers"},
    {.name = "jit_compile",
     .kind = Kind::kText,
     .forms = kTensorFlow1,
     .note = "it decides when operators are compiled, not how"},
    // Checked by the rules of a session (script_checks.cc).
    {.name = "use_off_line", .kind = Kind::kBoolean, .forms = kInParameterMap},
};

}  // namespace

std::span<const ParameterRow> AllParameters() {
  return kParameters;
}

const ParameterRow* FindParameter(std::string_view name) {
  for (const ParameterRow& row : kParameters) {
    if (row.name == name) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace halftone
