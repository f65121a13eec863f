// Table of precision options: names, help, the reader of a text or a file into PrecisionOptions,
// and its inverse. The command line, the readers and the writers loop over it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/precision/precision_options.h"

namespace halftone {

// Arguments as typed: values of options, paths of files. Empty: not given.
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

// A value while it is read: the text of the option, or the content of its file.
struct OptionText {
  std::string_view text;
  std::string_view where;  // for messages: the path of the file, or the option
};

struct PrecisionOptionRow {
  std::string_view name;  // "keep_dtype", without dashes
  std::string PrecisionArguments::*argument;
  // The name of the file in a written configuration; empty: the option takes a value.
  std::string_view file_name;
  std::string_view help;
  void (*read)(const OptionText& value, PrecisionOptions& options,
               std::vector<std::string>& warnings);
  // Inverse of read(); empty: the option is not given. `comment` lines open the file where its
  // format has comments. Error kUsage for options that the format cannot express.
  std::optional<std::string> (*write)(const PrecisionOptions& options,
                                      const std::vector<std::string>& comment);

  [[nodiscard]] bool is_file() const { return !file_name.empty(); }
};

std::span<const PrecisionOptionRow> AllPrecisionOptions();

}  // namespace halftone
