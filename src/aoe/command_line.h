// Reads the words of an AOE command line by the table of options.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct AoeCommandLine {
  bool help = false;
  // Values by option name. A flag has the value "true". An empty value (--name=) means not given.
  std::map<std::string, std::string, std::less<>> values;
  // One line for each option that is accepted without effect.
  std::vector<std::string> notes;

  [[nodiscard]] bool Has(std::string_view name) const { return values.contains(name); }

  // The value; the default of the table when it is not given.
  [[nodiscard]] std::string Get(std::string_view name) const;
  // Error kInternal for no integer: ParseAoeCommandLine has checked it.
  [[nodiscard]] long GetInteger(std::string_view name) const;
};

// `words` follow the command's name. Errors kUsage: an unknown option (with the closest names), a
// word that belongs to no option, a missing value, a value for a flag, `-m=x`, an option given
// twice; E10001 and E10005 for a value that the table does not allow; a refused option. With --help
// or -h among the options nothing else is looked at.
AoeCommandLine ParseAoeCommandLine(std::span<const std::string> words);

}  // namespace halftone
