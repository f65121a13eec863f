// Table of precision options: names, help, the reader of a text or a file into PrecisionOptions,
// and its inverse. The command line, the readers and the writers loop over it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halftone/precision.h"
#include "src/precision/precision_options.h"

namespace halftone {

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
