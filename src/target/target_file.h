// Parser of target files, which describe the capabilities of a device. docs/reference/targets.md
// has the grammar; src/target/specs/*.ini are the built-in files, examples/03_own_target.ini is one
// of a user.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/target/library_columns.h"
#include "src/target/target_spec.h"

namespace halftone {

// Content of a target file, with inherited entries.
struct TargetFile {
  TargetSpec spec;                                // `name` is empty if the file has soc_versions
  std::vector<std::string> soc_versions;          // values of --soc_version that select the file
  std::set<std::string, std::less<>> cube_types;  // IR types of matrix operators
  std::map<std::string, std::vector<DTypePair>, std::less<>> dtype_lists;
  // Implementation modes by IR type, including types without a row in [operators].
  std::map<std::string, std::map<DType, std::vector<ImplMode>>, std::less<>> impl_modes;
  std::vector<TargetFusion> fusions;
  // Figures by SoC version; "": for all of them.
  std::map<std::string, std::vector<RooflineFigure>, std::less<>> roofline;

  // Returns the target for one SoC version of the file.
  [[nodiscard]] TargetSpec ForSoc(std::string_view soc_version) const;
};

// Returns the text of the built-in file that `inherits` names; empty: there is none.
using FindBaseFile = std::function<std::optional<std::string_view>(std::string_view name)>;

// Parses `text`; `file` names it in messages. Error kUsage, which names file and line.
TargetFile ParseTargetFile(std::string_view text, std::string_view file,
                           const FindBaseFile& find_base);

}  // namespace halftone
