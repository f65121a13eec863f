// The --op_precision_mode ini: implementation modes by operator type and by node name. Grammar:
// docs/reference/options.md, "op_precision_mode".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/impl_mode.h"

namespace halftone {

struct ImplModeFile {
  std::map<std::string, ImplMode> by_type;
  std::map<std::string, ImplMode> by_node;
  // Full sentences, "op_precision.ini:3: ...". Equality ignores them.
  std::vector<std::string> warnings;

  friend bool operator==(const ImplModeFile& a, const ImplModeFile& b) {
    return a.by_type == b.by_type && a.by_node == b.by_node;
  }
};

// The value of this name in a file; empty: none. `default` is a word of halftone, not of files.
std::optional<ImplMode> ImplModeFromFile(std::string_view name);
std::string ImplModeFileNames();

// Parses a file. Total: lines that the format ignores become warnings, an empty file is legal.
ImplModeFile ParseImplModeFile(std::string_view content, std::string_view file_name);

// True if a type or node name can stand left of "=": not empty, no blanks at the ends, no line
// break, no '=', and it begins with neither '#' nor '['.
bool CanBeImplModeKey(std::string_view name);

// A file that ParseImplModeFile reads back equal, after `comment` (lines without '#'). Error kUsage
// for a key that cannot be expressed and for the value `default`.
std::string FormatImplModeFile(const ImplModeFile& file,
                               const std::vector<std::string>& comment = {});

}  // namespace halftone
