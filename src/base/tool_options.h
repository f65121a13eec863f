// Parser of the command lines of other tools: AOE, the Cloud AI compiler. A table describes the
// options of a tool: legal values, default, effect in halftone, help text. ToolSyntax describes the
// syntax of its command line.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

enum class ToolOptionUse : std::uint8_t {
  kMapped,    // an option of the tool that has an effect in halftone
  kOwn,       // an addition of halftone, no option of the tool
  kNoEffect,  // accepted without effect; a note says why
  kRefused,   // an error, because ignoring the option would change the result
};

enum class ToolValueKind : std::uint8_t {
  kText,
  kChoice,        // one of `choices`
  kBoolean,       // one of `choices`; errors begin with ToolSyntax::boolean_code
  kInteger,       // an integer from `least` to `most`
  kIntegers,      // one or more such integers, separated by commas
  kNumber,        // a finite number; from `least` to `most` if `most` is greater
  kFlag,          // no value, or a boolean; see ToolSyntax::flags_take_values
  kOptionalText,  // a text, which may be left out
  kList,          // one or more names, separated by commas
  kRepeated,      // a text; the option may be given several times
};

struct ToolOption {
  std::string_view name;        // without dashes in front
  std::string_view other_name;  // "m"; empty: none
  ToolValueKind kind = ToolValueKind::kText;
  ToolOptionUse use = ToolOptionUse::kMapped;
  std::string_view shape;    // the value in the help: "<path>"
  std::string_view choices;  // legal values: "on,off"
  long least = 0;
  long most = 0;
  std::string_view default_value;
  // The effect (kMapped, kOwn), the reason why there is none (kNoEffect), or what to use in place
  // of the option (kRefused).
  std::string_view note;
};

struct ToolSyntax {
  std::string_view tool;                         // name of the tool, for the help: "AOE"
  std::string_view help;                         // command that prints the help
  std::span<const std::string_view> help_words;  // words that ask for the help: "--help", "-h"
  std::string_view dashes;                       // dashes in front of names in messages
  // true: other names have one letter and one dash, and a blank precedes their value. false: both
  // names may have one dash or two.
  bool other_names_are_short = false;
  bool flags_take_values = false;  // true: a flag may have the value true, false, 1 or 0
  bool suggests_values = false;    // true: messages suggest similar legal values
  std::string_view value_code;     // begin of messages about values: "E10001: "
  std::string_view boolean_code;   // begin of messages about values of kBoolean
};

// Options of which at most one may be given.
struct ToolExclusion {
  std::string_view code;  // begin of the message: "E10056: "
  std::span<const std::string_view> names;
};

struct ToolTable {
  ToolSyntax syntax;
  std::span<const ToolOption> options;  // in the order of the help
  std::span<const ToolExclusion> exclusions = {};

  // Finds an option by either of its names, without dashes; null: there is none.
  [[nodiscard]] const ToolOption* Find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> Names() const;

  // Text of the help: a section for each ToolOptionUse. An option has two lines: heading(option),
  // and its note.
  [[nodiscard]] std::string Sections(std::string (*heading)(const ToolOption& option)) const;
};

struct ToolCommandLine {
  const ToolTable* table = nullptr;
  bool help = false;
  // Values by the name of the option; several only for kRepeated. A flag has the value "true". A
  // flag that is switched off, and an option with an empty value (--name=), count as not given.
  std::map<std::string, std::vector<std::string>, std::less<>> values;
  // One sentence for each option that was accepted without effect.
  std::vector<std::string> notes;

  [[nodiscard]] bool Has(std::string_view name) const { return values.contains(name); }

  // The (first) value, or the default of the table. Error kInternal: no such option.
  [[nodiscard]] std::string Get(std::string_view name) const;
  // All values; empty: not given.
  [[nodiscard]] std::vector<std::string> All(std::string_view name) const;
  // Items of a list, without blanks around them; empty: not given.
  [[nodiscard]] std::vector<std::string> List(std::string_view name) const;
  // Get() as an integer. Error kInternal unless the option has that kind.
  [[nodiscard]] long Integer(std::string_view name) const;
  // Get() as a number; `otherwise` if that is empty. Error kInternal unless the option has that
  // kind.
  [[nodiscard]] double Number(std::string_view name, double otherwise = 0) const;
};

// Parses the words behind the name of the command. A value follows its option behind `=` or as the
// next word. If a word asks for the help, nothing else is parsed. `table` must outlive the result.
//
// Error kUsage: an unknown option (with the closest name), a word that belongs to no option, a
// missing value, a value that the table does not allow, an option given twice, options that exclude
// each other, or a refused option.
ToolCommandLine ParseToolOptions(const ToolTable& table, std::span<const std::string> words);

}  // namespace halftone
