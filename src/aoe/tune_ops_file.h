// Parser of --tune_ops_file, which lists the operators that job 2 tunes.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace halftone {

// Listed operators. An operator is tuned if its name or its type is listed.
struct TuneOps {
  std::set<std::string, std::less<>> names;  // names of nodes, after fusion or before it
  std::set<std::string, std::less<>> types;  // IR types
};

// Parses strict JSON, {"tune_ops_name": [...], "tune_ops_type": [...]}, where one key may be
// missing. Error kUsage, naming the file, for another key, another type, an empty name, or no key.
TuneOps ParseTuneOps(std::string_view content, std::string_view file_name);

}  // namespace halftone
