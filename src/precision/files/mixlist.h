// File of --modify_mixlist, which moves operator types between the white, black and gray list of
// the mixed-precision modes. Grammar and legal combinations: docs/reference/options.md,
// "modify_mixlist".
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/precision/precision_options.h"
#include "src/target/target_spec.h"

namespace halftone {

// Parses the content of a file. Error kUsage naming `file_name` and the fault: not JSON, an unknown
// key, another JSON type, an illegal combination of lists for one type.
Mixlist ParseMixlist(std::string_view content, std::string_view file_name);

// The content of a file. ParseMixlist() reads it back to an equal value.
std::string FormatMixlist(const Mixlist& mixlist);

// A legal combination of entries for one operator type, and its effect.
struct MixlistCombination {
  std::string_view to_add;     // list whose to-add has the type: "white", "black", "gray"; or ""
  std::string_view to_remove;  // list whose to-remove has the type; or ""
  // New policy of the type if `to_remove` is empty, or if it is the list that has the type on the
  // target. Empty: the built-in policy stays.
  std::string_view becomes;
};

std::span<const MixlistCombination> MixlistCombinations();

// Policies of the operator types of a target, changed by a mixlist.
class MixPolicies {
 public:
  // Appends a sentence to `warnings` for each change without effect. Error kUsage: an illegal
  // combination, in a mixlist that did not come from ParseMixlist().
  MixPolicies(const std::optional<Mixlist>& mixlist, const TargetSpec& target,
              std::vector<std::string>& warnings);

  // The policy of a type whose policy on the target is `built_in`.
  [[nodiscard]] MixPolicy Of(std::string_view ir_type, MixPolicy built_in) const;

 private:
  std::map<std::string, MixPolicy, std::less<>> changed_;
};

}  // namespace halftone
