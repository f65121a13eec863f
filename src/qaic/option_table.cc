#include "src/qaic/option_table.h"

#include <fmt/format.h>

namespace halftone {
namespace {

using Kind = ToolValueKind;
using Use = ToolOptionUse;

constexpr std::string_view kSchemas =
    "asymmetric,symmetric,symmetric_with_uint8,symmetric_with_power2_scale";
constexpr std::string_view kNoDevice =
    "it shapes the binary for the device, and halftone computes on the CPU";

constexpr ToolOption kOptions[] = {
    // Model and samples.
    {.name = "model",
     .other_name = "m",
     .shape = "<path>",
     .note = "ONNX file, or a folder that holds model.onnx"},
    {.name = "model-input",
     .kind = Kind::kRepeated,
     .shape = "<name>,<type>,<shape>",
     .note = "shape of an input with free dimensions: x,float,[1,3,224,224]; may be repeated"},
    {.name = "onnx-define-symbol",
     .kind = Kind::kRepeated,
     .shape = "<symbol>,<value>",
     .note = "extent of a symbolic dimension; may be repeated"},
    {.name = "batchsize",
     .kind = Kind::kInteger,
     .least = 1,
     .most = 65536,
     .note = "first extent of every input; default: that of the model"},
    {.name = "input-list-file",
     .shape = "<path>",
     .note = "samples: a line for each, which names the raw file of every input in the order of "
             "the model, separated by commas; default: random data"},
    {.name = "use-random-input-data",
     .kind = Kind::kChoice,
     .choices = "gaussian,uniform",
     .default_value = "uniform",
     .note = "distribution of random samples, where no list is given"},
    // Precision.
    {.name = "convert-to-fp16",
     .kind = Kind::kFlag,
     .note = "all floating compute in FP16; nothing is quantized"},
    {.name = "convert-to-quantize",
     .kind = Kind::kFlag,
     .note = "quantize with a profile that is made in memory from the samples"},
    {.name = "quantization-schema",
     .kind = Kind::kChoice,
     .choices = kSchemas,
     .default_value = "symmetric_with_uint8",
     .note = "of activations and constants, where their own options are not given"},
    {.name = "quantization-schema-activations",
     .kind = Kind::kChoice,
     .choices = kSchemas,
     .default_value = "symmetric_with_uint8",
     .note = "of results of nodes and inputs of the network"},
    {.name = "quantization-schema-constants",
     .kind = Kind::kChoice,
     .choices = kSchemas,
     .default_value = "symmetric_with_uint8",
     .note = "of weights and biases"},
    {.name = "quantization-precision",
     .kind = Kind::kChoice,
     .choices = "Int8,Int16",
     .default_value = "Int8",
     .note = "of quantized tensors"},
    {.name = "quantization-precision-bias",
     .kind = Kind::kChoice,
     .choices = "Int8,Int32",
     .default_value = "Int32",
     .note = "of the bias of products and convolutions"},
    {.name = "quantization-calibration",
     .kind = Kind::kChoice,
     .choices = "None,KLMinimization,KLMinimizationV2,Percentile,MSE,SQNR",
     .default_value = "None",
     .note = "how a range is chosen from a histogram; None: least and greatest value"},
    {.name = "percentile-calibration-value",
     .kind = Kind::kNumber,
     .least = 90,
     .most = 100,
     .default_value = "100",
     .note = "with -quantization-calibration=Percentile"},
    {.name = "num-histogram-bins",
     .kind = Kind::kInteger,
     .least = 1,
     .most = 1048576,
     .default_value = "512",
     .note = "bins of the histograms of a profile"},
    {.name = "profiling-threads",
     .kind = Kind::kInteger,
     .least = 1,
     .most = 1024,
     .note = "threads while profiling; default: those of -threads"},
    {.name = "enable-channelwise",
     .kind = Kind::kFlag,
     .note = "a scale for each output channel of the weights of convolutions"},
    {.name = "enable-rowwise",
     .kind = Kind::kFlag,
     .note = "a scale for each row of the weights of FullyConnected (here: Gemm and MatMul) and "
             "SparseLengthsSum (which no ONNX model has)"},
    {.name = "execute-nodes-in-fp16",
     .kind = Kind::kList,
     .shape = "<kind>,...",
     .note = "every node of these ONNX kinds in FP16: Mul,Sqrt"},
    {.name = "keep-original-precision-for-nodes",
     .kind = Kind::kList,
     .shape = "<kind>,...",
     .note = "no node of these ONNX kinds is converted or quantized"},
    {.name = "node-precision-info",
     .shape = "<path>",
     .note = "YAML file of single nodes, by first output name: FP16NodeInstanceNames, "
             "FP32NodeInstanceNames"},
    // Profiles.
    {.name = "dump-profile",
     .shape = "<path>",
     .note = "run the network and write the ranges and histograms of all tensors (step 1)"},
    {.name = "load-profile", .shape = "<path>", .note = "quantize with such a profile (step 2)"},
    {.name = "external-quantization",
     .shape = "<path>",
     .note = "quantize with the ranges that another tool wrote: encodings of AIMET, calibration "
             "tables of ONNX Runtime and TensorRT"},
    // Interface.
    {.name = "custom-IO-list-file",
     .shape = "<path>",
     .note = "YAML file with layout and precision of inputs and outputs"},
    {.name = "dump-custom-IO-config-template",
     .shape = "<path>",
     .note = "write such a file for this model to edit, and end"},
    {.name = "output-node-name",
     .kind = Kind::kList,
     .use = Use::kRefused,
     .shape = "<name>,...",
     .note = "cut the model at these outputs before"},
    // The device.
    {.name = "aic-hw", .kind = Kind::kFlag, .use = Use::kNoEffect, .note = kNoDevice},
    {.name = "aic-hw-version", .use = Use::kNoEffect, .shape = "<version>", .note = kNoDevice},
    {.name = "aic-num-cores",
     .kind = Kind::kInteger,
     .use = Use::kNoEffect,
     .least = 1,
     .most = 1024,
     .note = kNoDevice},
    {.name = "mos", .use = Use::kNoEffect, .shape = "<n>", .note = kNoDevice},
    {.name = "ols", .use = Use::kNoEffect, .shape = "<n>", .note = kNoDevice},
    {.name = "compile-only",
     .kind = Kind::kFlag,
     .use = Use::kNoEffect,
     .note = "halftone runs on the CPU and makes no binary that could be left unrun"},
    {.name = "aic-binary-dir",
     .use = Use::kNoEffect,
     .shape = "<path>",
     .note = "halftone makes no binary for the device, so nothing is written there"},
    // Of the model configurator.
    {.name = "no-quant",
     .kind = Kind::kFlag,
     .use = Use::kRefused,
     .note = "it belongs to the model configurator; nothing is quantized unless -load-profile, "
             "-convert-to-quantize or -external-quantization asks for it"},
    {.name = "quant-profile-threads",
     .use = Use::kRefused,
     .shape = "<n>",
     .note = "it belongs to the model configurator; use -profiling-threads"},
    {.name = "quant-num-inputs",
     .use = Use::kRefused,
     .shape = "<n>",
     .note = "it belongs to the model configurator; shorten the -input-list-file"},
    // Ours.
    {.name = "threads",
     .kind = Kind::kInteger,
     .use = Use::kOwn,
     .least = 0,
     .most = 1024,
     .default_value = "0",
     .note = "cores that a run of the network uses; 0: all"},
    {.name = "seed",
     .kind = Kind::kInteger,
     .use = Use::kOwn,
     .least = 0,
     .most = 2147483647,
     .default_value = "1",
     .note = "seed of random samples"},
    {.name = "ranges-from",
     .use = Use::kOwn,
     .shape = "<path>",
     .note = "profile.yaml of a point: its ranges take the place of those in the profile of the "
             "device's compiler that -load-profile names, which keeps its hash; -point writes it"},
    {.name = "point",
     .use = Use::kOwn,
     .shape = "<folder>",
     .note = "write node_precision.yaml and the command line of this configuration there"},
};

std::string ValueText(const ToolOption& option) {
  if (option.kind == Kind::kFlag) {
    return "";
  }
  if (!option.choices.empty()) {
    return fmt::format("=<{}>", option.choices);
  }
  if (option.most > option.least) {
    return fmt::format("=<{}..{}>", option.least, option.most);
  }
  return fmt::format("={}", option.shape.empty() ? "<text>" : option.shape);
}

std::string Heading(const ToolOption& option) {
  std::string text = fmt::format("  -{}{}", option.name, ValueText(option));
  if (!option.other_name.empty()) {
    text += fmt::format(", -{}{}", option.other_name, ValueText(option));
  }
  if (!option.default_value.empty()) {
    text += fmt::format(" (default: {})", option.default_value);
  }
  return text;
}

constexpr std::string_view kHelpWords[] = {"-h", "-help",  "--help", "--help-all",
                                           "-u", "-usage", "--usage"};

constexpr ToolTable kTable = {.syntax = {.tool = "the Cloud AI compiler",
                                         .help = "halftone qaic-compile -h",
                                         .help_words = kHelpWords,
                                         .dashes = "-",
                                         .flags_take_values = true,
                                         .suggests_values = true,
                                         .value_code = "",
                                         .boolean_code = ""},
                              .options = kOptions};

}  // namespace

const ToolTable& QaicTable() {
  return kTable;
}

ToolCommandLine ParseQaicCommandLine(std::span<const std::string> words) {
  return ParseToolOptions(kTable, words);
}

std::string QaicHelp() {
  return "Runs a network on the CPU in the precisions that a command line of the Cloud AI "
         "compiler\n"
         "asks for, and compares it with float32. Makes no binary and needs no device.\n"
         "Usage: halftone qaic-compile -m=resnet50.onnx -input-list-file=list.txt "
         "-convert-to-fp16\n"
         "       (qaic-exec: the same under its older name)\n\n"
         "A value follows `=` or a blank. -h, -u, --usage: this text. docs/reference/cloud_ai.md "
         "says "
         "more.\n" +
         kTable.Sections(Heading);
}

}  // namespace halftone
