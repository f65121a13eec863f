// The options of `halftone aoe`: those that AOE documents, and a few of ours. One table gives the
// legal values, the effect and the help text of each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace halftone {

enum class AoeOptionUse : std::uint8_t {
  kMapped,    // sets the object or the way of tuning
  kOwn,       // not an option of AOE: an addition of halftone
  kNoEffect,  // accepted; one line says why it means nothing here
  kRefused,   // an error: ignoring it would change what is tuned
};

enum class AoeValueKind : std::uint8_t {
  kText,
  kChoice,        // one of `choices`
  kBoolean,       // one of `choices`; anything else is E10005
  kInteger,       // from `least` to `most`
  kIntegers,      // one or more of them, separated by commas
  kNumber,        // a finite number
  kFlag,          // takes no value
  kOptionalText,  // --name or --name=value
};

struct AoeOption {
  std::string_view name;        // without dashes
  std::string_view short_name;  // "-m"; empty: none. Takes its value after a blank only
  AoeValueKind kind = AoeValueKind::kText;
  AoeOptionUse use = AoeOptionUse::kMapped;
  std::string_view choices;  // "on,off"
  long least = 0;
  long most = 0;
  std::string_view default_value;
  // kMapped, kOwn: the effect; kNoEffect: why none; kRefused: the alternative.
  std::string_view note;
};

// In the order of AOE's manual, ours last.
std::span<const AoeOption> AoeOptions();

// By name without dashes; null when there is none.
const AoeOption* FindAoeOption(std::string_view name);

// "-m"; null when there is none.
const AoeOption* FindAoeShortOption(std::string_view short_name);

// The text of `halftone aoe --help`, from the table.
std::string AoeHelp();

}  // namespace halftone
