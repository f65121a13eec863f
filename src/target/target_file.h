// Target files: the capabilities of a device as data. Grammar and meaning:
// docs/reference/targets.md; built-in ones: src/target/specs/*.ini; one of your own:
// examples/03_own_target.ini.
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

// A target file after inheritance.
struct TargetFile {
  TargetSpec spec;                        // `name` is empty where the file names SoCs
  std::vector<std::string> soc_versions;  // values of --soc_version that select it
  std::set<std::string, std::less<>> cube_types;
  std::map<std::string, std::vector<DTypePair>, std::less<>> dtype_lists;
  // Implementation modes by IR type, including types without a row in [operators].
  std::map<std::string, std::map<DType, std::vector<ImplMode>>, std::less<>> impl_modes;
  std::vector<TargetFusion> fusions;
  // Figures by SoC version; "" for the whole file.
  std::map<std::string, std::vector<RooflineFigure>, std::less<>> roofline;

  // The target of one SoC version of this file.
  [[nodiscard]] TargetSpec ForSoc(std::string_view soc_version) const;
};

// Finds the text of the file that `inherits` names; empty when there is none of that name.
using FindBaseFile = std::function<std::optional<std::string_view>(std::string_view name)>;

// Parses `text`; `file` names it in messages. Error kUsage, one sentence with file and line.
TargetFile ParseTargetFile(std::string_view text, std::string_view file,
                           const FindBaseFile& find_base);

}  // namespace halftone
