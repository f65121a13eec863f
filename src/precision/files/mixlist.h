// The --modify_mixlist file: moves operator types between the trustlist, blocklist and graylist of
// the mixed-precision modes. Grammar and the legal combinations: docs/reference/options.md,
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

// Parses a file. Error kUsage naming `file_name` and the fault: not JSON, an unknown key, another
// JSON type, an illegal combination of lists for one type.
Mixlist ParseMixlist(std::string_view content, std::string_view file_name);

// A file that ParseMixlist() reads back equal.
std::string FormatMixlist(const Mixlist& mixlist);

// A legal combination of entries for one type, and its effect.
struct MixlistCombination {
  std::string_view to_add;     // "white", "black", "gray"; empty: in no to-add list
  std::string_view to_remove;  // likewise
  // The new policy where the type really is in the list of `to_remove`, or where that is empty.
  // Empty: the built-in policy stays.
  std::string_view becomes;
};

std::span<const MixlistCombination> MixlistCombinations();

// Policies of a target under a mixlist.
class MixPolicies {
 public:
  // Each change without effect adds a sentence to `warnings`. Error kUsage: an illegal combination
  // (in options that no file was read for).
  MixPolicies(const std::optional<Mixlist>& mixlist, const TargetSpec& target,
              std::vector<std::string>& warnings);

  [[nodiscard]] MixPolicy Of(std::string_view ir_type, MixPolicy built_in) const;

 private:
  std::map<std::string, MixPolicy, std::less<>> changed_;
};

}  // namespace halftone
