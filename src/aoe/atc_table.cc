#include "src/aoe/atc_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "src/aoe/framework.h"
#include "src/aoe/option_table.h"
#include "src/base/error.h"

namespace halftone {
namespace {

using Kind = ToolValueKind;
using Use = ToolOptionUse;

constexpr std::string_view kNoModel = "no model for a device is made";

// Options of AOE that mean the same for ATC, in the order of ATC's manual.
constexpr std::string_view kAsForAoe[] = {
    "model",
    "weight",
    "framework",
    "input_format",
    "input_shape",
    "dynamic_batch_size",
    "dynamic_image_size",
    "dynamic_dims",
    "singleop",
    "out_nodes",
    "input_fp16_nodes",
    "insert_op_conf",
    "op_name_map",
    "is_input_adjust_hw_layout",
    "is_output_adjust_hw_layout",
    "disable_reuse_memory",
    "fusion_switch_file",
    "enable_scope_fusion_passes",
    "enable_single_stream",
    "enable_small_channel",
    "compress_weight_conf",
    "compression_optimize_conf",
    "sparsity",
    "buffer_optimize",
    "precision_mode_v2",
    "op_select_implmode",
    "optypelist_for_implmode",
    "op_precision_mode",
    "modify_mixlist",
    "keep_dtype",
    "customize_dtypes",
    "op_debug_level",
    "host_env_os",
    "host_env_cpu",
    "aicore_num",
    "virtual_type",
    "log",
    "output_type",
};

// Those that AOE does not have, or that mean something else there.
constexpr ToolOption kOwnRows[] = {
    {.name = "soc_version", .note = "the device: Ascend310P3, Ascend910B1, ..."},
    {.name = "output",
     .note = "folder for the smallest option set that gives the plan: arguments.txt and files. ATC "
             "would write <output>.om"},
    {.name = "precision_mode", .note = "default: that of the device; force_fp16 for most"},
    {.name = "allow_hf32", .note = "float32 matrix operators may compute in HF32"},
    {.name = "is_weight_clip",
     .note = "weights beyond float16 become its largest value, or infinity"},
    {.name = "status_check", .note = "report every operator that overflowed, or the first ones"},
    {.name = "mode",
     .kind = Kind::kChoice,
     .choices = "0",
     .default_value = "0",
     .note = "0: the plan of a model; the other modes convert files, which halftone does not"},
    {.name = "om", .use = Use::kRefused, .note = "halftone reads ONNX models, and no .om"},
    {.name = "json",
     .use = Use::kRefused,
     .note = "halftone explain --format=json writes the plan"},
    {.name = "check_report", .use = Use::kNoEffect, .note = kNoModel},
    {.name = "core_type",
     .kind = Kind::kChoice,
     .use = Use::kNoEffect,
     .choices = "AiCore,VectorCore",
     .default_value = "AiCore",
     .note = kNoModel},
    {.name = "external_weight",
     .kind = Kind::kBoolean,
     .use = Use::kNoEffect,
     .choices = "0,1",
     .default_value = "0",
     .note = kNoModel},
    {.name = "dump_mode",
     .kind = Kind::kBoolean,
     .use = Use::kNoEffect,
     .choices = "0,1",
     .default_value = "0",
     .note = kNoModel},
    {.name = "debug_dir",
     .use = Use::kNoEffect,
     .note = "nothing is compiled that could be debugged"},
    {.name = "op_debug_config",
     .use = Use::kNoEffect,
     .note = "nothing is compiled that could be debugged"},
    {.name = "op_compiler_cache_mode",
     .kind = Kind::kChoice,
     .use = Use::kNoEffect,
     .choices = "enable,disable,force",
     .default_value = "enable",
     .note = "nothing is compiled that could be kept"},
    {.name = "op_compiler_cache_dir",
     .use = Use::kNoEffect,
     .note = "nothing is compiled that could be kept"},
    {.name = "display_model_info",
     .kind = Kind::kBoolean,
     .use = Use::kNoEffect,
     .choices = "0,1",
     .default_value = "0",
     .note = kNoModel},
    {.name = "op_bank_path", .use = Use::kNoEffect, .note = "tuned kernels of ATC decide no dtype"},
    {.name = "mdl_bank_path", .use = Use::kNoEffect, .note = "tuned graphs of ATC decide no dtype"},
};

// Options that explain takes under their own names.
constexpr std::string_view kOfExplain[] = {"soc_version",        "input_shape",
                                           "dynamic_batch_size", "dynamic_image_size",
                                           "dynamic_dims",       "fusion_switch_file",
                                           "precision_mode",     "precision_mode_v2",
                                           "modify_mixlist",     "keep_dtype",
                                           "customize_dtypes",   "op_precision_mode",
                                           "op_select_implmode", "optypelist_for_implmode",
                                           "allow_hf32",         "output_type",
                                           "input_fp16_nodes",   "is_weight_clip",
                                           "status_check",       "output"};

// ATC has no default for them.
constexpr std::string_view kRequired[] = {"model", "framework", "output", "soc_version"};

constexpr std::string_view kHelpWords[] = {"--help", "-h"};

std::vector<ToolOption> Rows() {
  std::vector<ToolOption> rows;
  for (const std::string_view name : kAsForAoe) {
    const ToolOption* row = AoeTable().Find(name);
    Check(row != nullptr, fmt::format("--{} is an option of AOE", name));
    rows.push_back(*row);
  }
  rows.insert(rows.end(), std::begin(kOwnRows), std::end(kOwnRows));
  return rows;
}

ToolTable MakeTable() {
  static const std::vector<ToolOption> kRows = Rows();
  ToolTable table = {
      .syntax = AoeTable().syntax, .options = kRows, .exclusions = AoeTable().exclusions};
  table.syntax.tool = "ATC";
  table.syntax.help = "halftone atc --help";
  table.syntax.help_words = kHelpWords;
  return table;
}

}  // namespace

const ToolTable& AtcTable() {
  static const ToolTable kTable = MakeTable();
  return kTable;
}

std::string AtcHelp() {
  return "Resolves a command line of ATC to its plan and writes the smallest option set that gives "
         "it.\nMakes no model for a device.\n"
         "Usage: halftone atc --framework=5 --model=resnet50.onnx --soc_version=Ascend310P3 "
         "--output=resnet50\n\n"
         "A value follows `=` or a blank. -h, --help: this text. docs/internals/dependencies.md "
         "says more.\n" +
         AtcTable().Sections(AscendHeading);
}

std::vector<std::string> ExplainWordsOf(const ToolCommandLine& line) {
  for (const std::string_view name : kRequired) {
    if (!line.Has(name)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("E10054: --{} is missing; see halftone atc --help", name));
    }
  }
  std::vector<std::string> words = {fmt::format("--model={}", ModelsOf(line).front().string())};
  for (const std::string_view name : kOfExplain) {
    if (line.Has(name)) {
      words.push_back(fmt::format("--{}={}", name, line.Get(name)));
    }
  }
  return words;
}

}  // namespace halftone
