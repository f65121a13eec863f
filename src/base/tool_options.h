// Command lines of other tools (AOE, the Cloud AI compiler), read by a table of their options. A
// table gives the legal values, the default, the effect here and the help text of each option; what
// differs between the tools beyond that is a row of ToolSyntax.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

enum class ToolOptionUse : std::uint8_t {
  kMapped,    // decides something here
  kOwn,       // not an option of the tool: an addition of halftone
  kNoEffect,  // accepted; one line says why it means nothing here
  kRefused,   // an error: ignoring it would change the result
};

enum class ToolValueKind : std::uint8_t {
  kText,
  kChoice,        // one of `choices`
  kBoolean,       // one of `choices`; another value has a code of its own
  kInteger,       // from `least` to `most`
  kIntegers,      // one or more of them, separated by commas
  kNumber,        // a finite number; from `least` to `most` where these differ
  kFlag,          // takes no value; see ToolSyntax::flags_take_values
  kOptionalText,  // with a value or without
  kList,          // one or more names, separated by commas
  kRepeated,      // a text; the option may be given several times
};

struct ToolOption {
  std::string_view name;        // without dashes in front
  std::string_view other_name;  // "m"; empty: none
  ToolValueKind kind = ToolValueKind::kText;
  ToolOptionUse use = ToolOptionUse::kMapped;
  std::string_view shape;    // of a value, for the help: "<path>"
  std::string_view choices;  // "on,off"
  long least = 0;
  long most = 0;
  std::string_view default_value;
  // kMapped, kOwn: the effect; kNoEffect: why none; kRefused: the alternative.
  std::string_view note;
};

struct ToolSyntax {
  std::string_view tool;                         // "AOE", for the help
  std::string_view help;                         // command of the help: "halftone aoe --help"
  std::span<const std::string_view> help_words;  // "--help", "-h"
  std::string_view dashes;                       // in front of names, as messages show them
  bool other_names_are_short = false;  // one dash in front, the value behind a blank only; else
                                       // both names take one dash or two
  bool flags_take_values = false;      // true, false, 1, 0
  bool suggests_values = false;        // "did you mean" for values too
  std::string_view value_code;         // in front of messages on values: "E10001: "
  std::string_view boolean_code;       // in front of messages on values of kBoolean
};

// Options that exclude each other, whatever else becomes of them.
struct ToolExclusion {
  std::string_view code;  // "E10056: "
  std::span<const std::string_view> names;
};

struct ToolTable {
  ToolSyntax syntax;
  std::span<const ToolOption> options;  // in the order of the help
  std::span<const ToolExclusion> exclusions = {};

  // Finds an option by one of its names, without dashes; null when there is none.
  [[nodiscard]] const ToolOption* Find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> Names() const;

  // Sections of the help by use; each option stands below the text that `heading` makes of it.
  [[nodiscard]] std::string Sections(std::string (*heading)(const ToolOption& option)) const;
};

struct ToolCommandLine {
  const ToolTable* table = nullptr;
  bool help = false;
  // Values by option name. A flag has the value "true"; one that is switched off is not given. An
  // empty value (--name=) means not given. Several values only of kRepeated.
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
  // Error kInternal for no integer: ParseToolOptions has checked it.
  [[nodiscard]] long Integer(std::string_view name) const;
  // `otherwise` when it is not given and has no default. Error kInternal as Integer().
  [[nodiscard]] double Number(std::string_view name, double otherwise = 0) const;
};

// `words` follow the command's name; a value stands behind `=` or a blank. Errors kUsage: an
// unknown option (with the closest name), a word that belongs to no option, a missing value, a
// value that the table does not allow, an option given twice, options that exclude each other, a
// refused option. With a help word among the options nothing else is looked at. `table` must
// outlive the result.
ToolCommandLine ParseToolOptions(const ToolTable& table, std::span<const std::string> words);

}  // namespace halftone
