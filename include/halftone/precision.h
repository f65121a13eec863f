// Precision options: the dtypes and implementation modes of operators, as a user types them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "halftone/target.h"

namespace halftone {

// Values of the options of the same names (docs/reference/options.md). Empty: not given.
struct PrecisionArguments {
  std::string precision_mode;
  std::string precision_mode_v2;
  std::string modify_mixlist;     // path of the JSON file
  std::string keep_dtype;         // path of the cfg file
  std::string customize_dtypes;   // path of the cfg file
  std::string op_precision_mode;  // path of the ini file
  std::string quantization;       // path of the JSON file
  std::string op_select_implmode;
  std::string optypelist_for_implmode;  // separated by commas
  std::string allow_hf32;
  std::string output_type;
  std::string input_fp16_nodes;  // separated by semicolons
  std::string is_weight_clip;
  std::string status_check;
  std::string graph_run_mode;
};

// Name of an option without its dashes, and the member that holds its value.
struct PrecisionArgument {
  const char* name;
  std::string PrecisionArguments::*text;
};

inline constexpr PrecisionArgument kPrecisionArguments[] = {
    {"precision_mode", &PrecisionArguments::precision_mode},
    {"precision_mode_v2", &PrecisionArguments::precision_mode_v2},
    {"modify_mixlist", &PrecisionArguments::modify_mixlist},
    {"keep_dtype", &PrecisionArguments::keep_dtype},
    {"customize_dtypes", &PrecisionArguments::customize_dtypes},
    {"op_precision_mode", &PrecisionArguments::op_precision_mode},
    {"quantization", &PrecisionArguments::quantization},
    {"op_select_implmode", &PrecisionArguments::op_select_implmode},
    {"optypelist_for_implmode", &PrecisionArguments::optypelist_for_implmode},
    {"allow_hf32", &PrecisionArguments::allow_hf32},
    {"output_type", &PrecisionArguments::output_type},
    {"input_fp16_nodes", &PrecisionArguments::input_fp16_nodes},
    {"is_weight_clip", &PrecisionArguments::is_weight_clip},
    {"status_check", &PrecisionArguments::status_check},
    {"graph_run_mode", &PrecisionArguments::graph_run_mode},
};

struct PrecisionOptions;  // parsed options and files; defined inside the library

struct ReadOptions {
  std::shared_ptr<const PrecisionOptions> options;  // never null
  std::vector<std::string> warnings;                // full sentences
};

// Parses the options, then reads their files. Error kUsage: an illegal value, two options that
// exclude each other, a file that cannot be read (E10001) or has illegal content, or an unknown
// target.
ReadOptions ReadPrecisionOptions(const PrecisionArguments& arguments,
                                 const TargetOptions& target = {});

// Reads the precision options of an option set. `text` is the set itself
// ("--precision_mode=force_fp16 --keep_dtype=k.cfg"), the path of a file with such a text, or a
// folder with arguments.txt, such as that of a point. A target in the set replaces `target`. The
// set may also name input shapes and a fusion switch file, which the result does not hold. Errors
// as ReadPrecisionOptions(), and kUsage for other words.
ReadOptions ReadOptionSet(const std::string& text, const TargetOptions& target = {});

// Returns the lines of a keep_dtype file, sorted and without duplicates. A line is a node name, or
// "OpType::<type>" for all nodes of an operator type. Error kUsage as ReadPrecisionOptions().
std::vector<std::string> ReadKeepDtype(const std::filesystem::path& path,
                                       const TargetOptions& target = {});

}  // namespace halftone
