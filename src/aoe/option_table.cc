#include "src/aoe/option_table.h"

#include <fmt/format.h>

namespace halftone {
namespace {

using Kind = ToolValueKind;
using Use = ToolOptionUse;

constexpr long kMostTrials = 1'000'000;

constexpr ToolOption kOptions[] = {
    // What is tuned.
    {.name = "model", .other_name = "m", .note = "ONNX file, or a folder that holds model.onnx"},
    {.name = "model_path", .note = "folder of several ONNX files, tuned one after the other"},
    {.name = "weight",
     .other_name = "w",
     .use = Use::kRefused,
     .note = "only Caffe models have a weight file, and halftone tunes ONNX models"},
    {.name = "job_type",
     .other_name = "j",
     .note = "1: subgraph tuning, the search over precision plans; 2: operator tuning, the "
             "fastest kernels and the implementation modes of single operators with the dtypes "
             "that the options fix"},
    {.name = "framework",
     .other_name = "f",
     .note = "5 (ONNX); 0 (Caffe), 1 (MindSpore) and 3 (TensorFlow) are refused; default: from the "
             "model's suffix"},
    {.name = "input_format",
     .kind = Kind::kChoice,
     .use = Use::kNoEffect,
     .choices = "NCHW,NHWC,ND,NCDHW,NDHWC",
     .default_value = "NCHW",
     .note = "an ONNX model fixes the layout of its inputs"},
    {.name = "input_shape",
     .note =
         "shapes of inputs with free dimensions: \"a:1,3,224,224;b:1,10\"; one configuration is "
         "tuned for both ends of a range (1~8)"},
    {.name = "dynamic_batch_size",
     .note = "sizes that replace a -1 in front of --input_shape: \"1,2,8\"; one configuration is "
             "tuned for all of them"},
    {.name = "dynamic_image_size",
     .note = "heights and widths that replace the two -1 of an input: \"224,224;448,448\""},
    {.name = "dynamic_dims",
     .note = "sizes that replace all -1, in the order of --input_shape: \"1,20;8,40\""},
    {.name = "reload",
     .kind = Kind::kOptionalText,
     .note = "continue an interrupted job 1: the newest in the current folder, or the named one"},
    {.name = "device",
     .kind = Kind::kIntegers,
     .use = Use::kNoEffect,
     .least = 0,
     .most = 1023,
     .default_value = "0",
     .note = "halftone tunes on the CPU it runs on"},
    {.name = "progress_bar",
     .kind = Kind::kBoolean,
     .choices = "on,off",
     .default_value = "on",
     .note = "the progress line on the error stream"},
    {.name = "singleop",
     .use = Use::kRefused,
     .note = "halftone needs a model: an operator's accuracy is judged by the model's outputs"},
    {.name = "output",
     .note = "folder for the configuration files of the tuned model; default: under aoe_workspace"},
    {.name = "output_type", .note = "as for ATC"},
    {.name = "host_env_os", .use = Use::kNoEffect, .note = "the written files serve any host"},
    {.name = "host_env_cpu", .use = Use::kNoEffect, .note = "the written files serve any host"},
    {.name = "aicore_num",
     .kind = Kind::kInteger,
     .use = Use::kNoEffect,
     .least = 1,
     .most = 1024,
     .note = "the CPU has no AI Cores; --threads bounds its cores"},
    {.name = "virtual_type",
     .kind = Kind::kBoolean,
     .use = Use::kNoEffect,
     .choices = "0,1",
     .default_value = "0",
     .note = "there is no device to divide"},
    {.name = "out_nodes",
     .use = Use::kRefused,
     .note = "cut the model at these nodes before tuning it"},
    {.name = "input_fp16_nodes", .note = "as for ATC"},
    {.name = "insert_op_conf",
     .note = "file of pre-processing (AIPP) for the images of --inputs: static, RGB888_U8 or "
             "YUV400_U8, src_image_size, mean, min, var_reci, rbuv_swap; other parts are refused"},
    {.name = "op_name_map", .use = Use::kRefused, .note = "halftone has no custom operators"},
    {.name = "is_input_adjust_hw_layout",
     .kind = Kind::kBoolean,
     .use = Use::kNoEffect,
     .choices = "true,false",
     .default_value = "false",
     .note = "inputs keep the layout of the model"},
    {.name = "is_output_adjust_hw_layout",
     .kind = Kind::kBoolean,
     .use = Use::kNoEffect,
     .choices = "true,false",
     .default_value = "false",
     .note = "outputs keep the layout of the model"},
    {.name = "disable_reuse_memory",
     .kind = Kind::kBoolean,
     .use = Use::kNoEffect,
     .choices = "0,1",
     .default_value = "0",
     .note = "buffers are always planned with reuse"},
    {.name = "fusion_switch_file",
     .note = "JSON file that switches fusions off by name; docs/internals/passes.md lists them"},
    {.name = "enable_scope_fusion_passes",
     .use = Use::kNoEffect,
     .note = "scope fusion is for TensorFlow models"},
    {.name = "enable_single_stream",
     .kind = Kind::kBoolean,
     .use = Use::kNoEffect,
     .choices = "true,false",
     .default_value = "false",
     .note = "operators always run one after the other"},
    {.name = "enable_small_channel",
     .kind = Kind::kBoolean,
     .use = Use::kNoEffect,
     .choices = "0,1",
     .default_value = "0",
     .note = "the CPU has no such layout"},
    {.name = "compress_weight_conf",
     .use = Use::kRefused,
     .note = "halftone tunes precision and leaves the weights as they are"},
    {.name = "compression_optimize_conf",
     .use = Use::kRefused,
     .note = "halftone tunes precision and leaves the weights as they are"},
    {.name = "sparsity",
     .use = Use::kRefused,
     .note = "halftone tunes precision and leaves the weights as they are"},
    {.name = "buffer_optimize",
     .kind = Kind::kChoice,
     .use = Use::kNoEffect,
     .choices = "l1_optimize,l2_optimize,off_optimize",
     .default_value = "l2_optimize",
     .note = "the caches of a CPU manage themselves"},
    {.name = "precision_mode",
     .default_value = "force_fp16",
     .note = "mode of the \"before\" configuration, which results are compared with"},
    {.name = "precision_mode_v2", .note = "the same by its newer names; excludes --precision_mode"},
    {.name = "op_select_implmode", .note = "as for ATC"},
    {.name = "optypelist_for_implmode", .note = "as for ATC"},
    {.name = "op_precision_mode", .note = "as for ATC: ini file of implementation modes"},
    {.name = "modify_mixlist", .note = "as for ATC: JSON file of list changes"},
    {.name = "keep_dtype", .note = "as for ATC: file of nodes that keep their dtype"},
    {.name = "customize_dtypes", .note = "as for ATC: file of dtypes of single operators"},
    {.name = "op_debug_level",
     .kind = Kind::kInteger,
     .use = Use::kNoEffect,
     .least = 0,
     .most = 4,
     .default_value = "0",
     .note = "nothing is compiled that could be debugged"},
    {.name = "tune_ops_file", .note = "JSON file of the operators that job 2 tunes"},
    {.name = "tune_optimization_level",
     .kind = Kind::kChoice,
     .choices = "O1,O2",
     .default_value = "O2",
     .note = "O1: three times the budget of O2"},
    {.name = "Fdeeper_opat",
     .kind = Kind::kFlag,
     .note = "job 2: also tries the operators in pairs, with five times the budget"},
    {.name = "Fop_format",
     .kind = Kind::kFlag,
     .use = Use::kNoEffect,
     .note = "the CPU has one tensor format"},
    {.name = "Fnonhomo_split",
     .kind = Kind::kFlag,
     .use = Use::kNoEffect,
     .note = "batches are not split on the CPU"},
    {.name = "log",
     .kind = Kind::kChoice,
     .use = Use::kNoEffect,
     .choices = "debug,info,warning,error,null",
     .default_value = "null",
     .note = "there is no log file: warnings and errors go to the error stream"},
    {.name = "ip",
     .use = Use::kRefused,
     .note = "halftone tunes the machine it runs on; start it on the one that is to be tuned"},
    {.name = "port",
     .kind = Kind::kInteger,
     .use = Use::kRefused,
     .least = 6000,
     .most = 10000,
     .note = "halftone tunes the machine it runs on; start it on the one that is to be tuned"},
    {.name = "init_bypass",
     .use = Use::kRefused,
     .note = "name the options themselves: halftone has no engine to pass them to"},
    {.name = "build_bypass",
     .use = Use::kRefused,
     .note = "name the options themselves: halftone has no engine to pass them to"},
    // Options of ATC that a user may try.
    {.name = "soc_version",
     .use = Use::kRefused,
     .note = "AOE tunes the device it runs on, here the CPU; leave it out"},
    {.name = "op_bank_path",
     .use = Use::kRefused,
     .note = "AOE writes where TUNE_BANK_PATH says, else under ASCEND_CACHE_PATH; set one of them"},
    {.name = "mdl_bank_path",
     .use = Use::kRefused,
     .note = "AOE writes where TUNE_BANK_PATH says, else under ASCEND_CACHE_PATH; set one of them"},
    // Ours.
    {.name = "inputs",
     .use = Use::kOwn,
     .note = "samples that accuracy is judged on, as for halftone tune; default: random data"},
    {.name = "labels", .use = Use::kOwn, .note = "class indices of the samples"},
    {.name = "max_samples",
     .kind = Kind::kInteger,
     .use = Use::kOwn,
     .least = 0,
     .most = kMostTrials,
     .default_value = "0",
     .note = "use the first N samples; 0: all"},
    {.name = "min_sqnr_db",
     .kind = Kind::kNumber,
     .use = Use::kOwn,
     .note = "accuracy of at least this, dB; default: that of the configuration given"},
    {.name = "max_top1_drop",
     .kind = Kind::kNumber,
     .use = Use::kOwn,
     .least = 0,
     .most = 1,
     .note = "top-1 may drop by at most this fraction against float32"},
    {.name = "min_agreement",
     .kind = Kind::kNumber,
     .use = Use::kOwn,
     .least = 0,
     .most = 1,
     .note = "share of equal elements of integer and boolean outputs of at least this"},
    {.name = "max_trials",
     .kind = Kind::kInteger,
     .use = Use::kOwn,
     .least = 1,
     .most = kMostTrials,
     .note = "distinct plans at most, known ones included; in job 2 known ones are hits and not "
             "counted; default: 200 for O2"},
    {.name = "budget",
     .use = Use::kOwn,
     .note = "limit on the whole, a time (90s, 2h), which the models of --model_path share; "
             "default: none"},
    {.name = "read_result",
     .use = Use::kOwn,
     .note = "in place of a job: shows a result file, aoe_result_*.json of AOE or of halftone"},
    {.name = "threads",
     .kind = Kind::kInteger,
     .use = Use::kOwn,
     .least = 0,
     .most = 1024,
     .default_value = "0",
     .note = "cores a run of the network uses; 0: all"},
    {.name = "seed",
     .kind = Kind::kInteger,
     .use = Use::kOwn,
     .least = 0,
     .most = 2147483647,
     .default_value = "1",
     .note = "seed of everything random"},
};

constexpr std::string_view kHelpWords[] = {"--help", "-h"};
constexpr std::string_view kDynamicProfiles[] = {"dynamic_batch_size", "dynamic_image_size",
                                                 "dynamic_dims"};
constexpr ToolExclusion kExclusions[] = {{"E10056: ", kDynamicProfiles}};

constexpr ToolTable kTable = {.syntax = {.tool = "AOE",
                                         .help = "halftone aoe --help",
                                         .help_words = kHelpWords,
                                         .dashes = "--",
                                         .other_names_are_short = true,
                                         .value_code = "E10001: ",
                                         .boolean_code = "E10005: "},
                              .options = kOptions,
                              .exclusions = kExclusions};

}  // namespace

std::string AscendHeading(const ToolOption& option) {
  std::string text = fmt::format("  --{}", option.name);
  if (!option.other_name.empty()) {
    text += fmt::format(", -{}", option.other_name);
  }
  if (!option.choices.empty()) {
    text += fmt::format(" <{}>", option.choices);
  } else if (option.most > 0) {
    text += fmt::format(" <{}..{}{}>", option.least, option.most,
                        option.kind == Kind::kIntegers ? ",..." : "");
  } else if (option.kind == Kind::kOptionalText) {
    text += "[=<text>]";
  } else if (option.kind == Kind::kNumber) {
    text += " <number>";
  } else if (option.kind == Kind::kText) {
    text += " <text>";
  }
  if (!option.default_value.empty()) {
    text += fmt::format(" (default: {})", option.default_value);
  }
  return text;
}

const ToolTable& AoeTable() {
  return kTable;
}

ToolCommandLine ParseAoeCommandLine(std::span<const std::string> words) {
  return ParseToolOptions(kTable, words);
}

std::string AoeHelp() {
  return "Tunes a model with the options of Ascend AOE, on the CPU it runs on.\n"
         "Usage: halftone aoe --framework=5 --model=resnet50.onnx --job_type=2\n\n"
         "A value follows `=` or a blank; after -m, -w, -j and -f a blank. -h, --help: this text.\n"
         "Environment: TUNE_BANK_PATH, ASCEND_CACHE_PATH, ASCEND_WORK_PATH, REPEAT_TUNE.\n"
         "docs/reference/ascend.md says more.\n" +
         kTable.Sections(AscendHeading);
}

}  // namespace halftone
