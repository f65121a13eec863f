// File of --op_precision_mode, an ini file: implementation modes by operator type and by node name.
// Grammar: docs/reference/options.md, "op_precision_mode".
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
  // Full sentences: "op_precision.ini:3: ...". Comparison ignores them.
  std::vector<std::string> warnings;

  friend bool operator==(const ImplModeFile& a, const ImplModeFile& b) {
    return a.by_type == b.by_type && a.by_node == b.by_node;
  }
};

// The mode that this name stands for in a file; empty: there is none. "default" is a word of
// halftone that files do not have.
std::optional<ImplMode> ImplModeFromFile(std::string_view name);
// The names that ImplModeFromFile() knows, separated by ", ".
std::string ImplModeFileNames();

// Parses the content of a file. Throws no Error: a faulty line is skipped with a warning, and an
// empty file is legal.
ImplModeFile ParseImplModeFile(std::string_view content, std::string_view file_name);

// True if a file can have the name of a type or node left of "=": SurvivesAsLine(), no '=' in it,
// and no '[' at its beginning.
bool CanBeImplModeKey(std::string_view name);

// The content of a file that begins with the lines `comment`, given without '#'.
// ParseImplModeFile() reads it back to an equal value. Error kUsage: a name that the format cannot
// express, or the mode `default`.
std::string FormatImplModeFile(const ImplModeFile& file,
                               const std::vector<std::string>& comment = {});

}  // namespace halftone
