// The files that stand for precision options, and the way back. The round trip is exact: what is
// measured is what a user gets who gives these files and arguments to the compiler.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/precision/precision_options.h"

namespace halftone {

inline constexpr std::string_view kKeepDtypeFileName = "keep_dtype.cfg";
inline constexpr std::string_view kOpPrecisionFileName = "op_precision.ini";

struct OptionFiles {
  // "--precision_mode=force_fp16", "--keep_dtype=keep_dtype.cfg", ...: all that is to be typed.
  std::vector<std::string> arguments;
  std::optional<std::string> keep_dtype_cfg;    // content; empty: the option is not given
  std::optional<std::string> op_precision_ini;  // likewise
};

// Each file opens with a comment that names the arguments. Error kUsage for what the formats cannot
// express: names (KeepLineFor, CanBeImplModeKey), modes that do not exist.
OptionFiles WriteOptionFiles(const PrecisionOptions& options);

// The inverse. Warnings of the ini reader go to `warnings` when it is given. Errors: kUsage for
// arguments that WriteOptionFiles() does not write, and as the file readers have them.
PrecisionOptions ReadOptionFiles(const OptionFiles& files,
                                 std::vector<std::string>* warnings = nullptr);

}  // namespace halftone
