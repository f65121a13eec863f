// --tune_ops_file: operators that job 2 tunes.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace halftone {

// A union: an operator is tuned when its name or its type is listed.
struct TuneOps {
  std::set<std::string, std::less<>> names;  // of nodes after fusion, or fused into one
  std::set<std::string, std::less<>> types;  // IR types
};

// {"tune_ops_name": [...], "tune_ops_type": [...]}, strict JSON; either key may be missing. Error
// kUsage naming the file: another key, another type, an empty name, neither key.
TuneOps ParseTuneOps(std::string_view content, std::string_view file_name);

}  // namespace halftone
