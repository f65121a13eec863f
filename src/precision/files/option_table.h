// Table of precision options, with the name, help, reader and writer of each. The command line and
// the readers and writers of configurations loop over it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halftone/precision.h"
#include "src/precision/precision_options.h"

namespace halftone {

// Value of an option to be read.
struct OptionText {
  std::string_view text;   // text of the option, or content of its file
  std::string_view where;  // path of the file or name of the option, for messages
};

struct PrecisionOptionRow {
  std::string_view name;  // without dashes: "keep_dtype"
  std::string PrecisionArguments::*argument;
  // Name of the option's file in a written configuration; empty: the option takes a value.
  std::string_view file_name;
  std::string_view help;
  // Reads a value into `options` and appends full sentences to `warnings`. Error kUsage: the value
  // is illegal.
  void (*read)(const OptionText& value, PrecisionOptions& options,
               std::vector<std::string>& warnings);
  // Returns the text that read() reads back; empty: `options` does not have the option. The lines
  // `comment` open the file if its format has comments. Error kUsage: the format cannot express
  // `options`.
  std::optional<std::string> (*write)(const PrecisionOptions& options,
                                      const std::vector<std::string>& comment);

  [[nodiscard]] bool is_file() const { return !file_name.empty(); }
};

std::span<const PrecisionOptionRow> AllPrecisionOptions();

}  // namespace halftone
