// Reads the words of a command line of the Cloud AI compiler by the table of options.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct QaicCommandLine {
  bool help = false;
  // Values by option name. A flag has the value "true"; -flag=false: not given. An empty value
  // (-name=) means not given. Several values only of options that may be repeated.
  std::map<std::string, std::vector<std::string>, std::less<>> values;
  // One line for each option that is accepted without effect.
  std::vector<std::string> notes;

  [[nodiscard]] bool Has(std::string_view name) const { return values.contains(name); }

  // The value; the default of the table when it is not given.
  [[nodiscard]] std::string Get(std::string_view name) const;
  // All values; empty when it is not given.
  [[nodiscard]] std::vector<std::string> All(std::string_view name) const;
  // Items of a list, without blanks around them; empty when it is not given.
  [[nodiscard]] std::vector<std::string> List(std::string_view name) const;
  // `otherwise` when it is not given and has no default. Error kInternal for no number:
  // ParseQaicCommandLine has checked it.
  [[nodiscard]] double Number(std::string_view name, double otherwise = 0) const;
};

// `words` follow the command's name: "-name=value", "-name value", "-flag"; a second dash in front
// changes nothing. Errors kUsage: an unknown option (with the closest name), a word that belongs to
// no option, a missing value, a value that the table does not allow, an option given twice, a
// refused option. With -h, -u, --usage or --help among the options nothing else is looked at.
QaicCommandLine ParseQaicCommandLine(std::span<const std::string> words);

}  // namespace halftone
