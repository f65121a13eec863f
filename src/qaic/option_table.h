// The options of `halftone qaic-compile`: those that the Cloud AI compiler documents, and a few of
// ours. One table gives the legal values, the default, the effect here and the help text of each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

enum class QaicOptionUse : std::uint8_t {
  kMapped,    // decides the model, the samples, the precisions or the files
  kOwn,       // not an option of the Cloud AI compiler: an addition of halftone
  kNoEffect,  // accepted; one line says why it means nothing here
  kRefused,   // an error: ignoring it would change what is computed
};

enum class QaicValueKind : std::uint8_t {
  kText,
  kChoice,    // one of `choices`
  kInteger,   // from `least` to `most`
  kNumber,    // a finite number from `least` to `most`
  kFlag,      // takes no value; also -name=true, -name=false
  kList,      // one or more names, separated by commas
  kRepeated,  // a text; the option may be given several times
};

struct QaicOption {
  std::string_view name;        // without the dash, with its own dashes inside
  std::string_view other_name;  // "m" for "model"; empty: none
  QaicValueKind kind = QaicValueKind::kText;
  QaicOptionUse use = QaicOptionUse::kMapped;
  std::string_view shape;    // of a value, for the help: "<path>", "<name>,<type>,<shape>"
  std::string_view choices;  // "Int8,Int32"
  double least = 0;
  double most = 0;
  std::string_view default_value;
  // kMapped, kOwn: the effect; kNoEffect: why none; kRefused: the alternative.
  std::string_view note;
  // A value of `choices` that is refused, and the alternative; empty: all are taken.
  std::string_view refused_choice = {};
  std::string_view refusal = {};
};

// In the order of the compiler's documentation, ours last.
std::span<const QaicOption> QaicOptions();

// By one of its names, without the dash; null when there is none.
const QaicOption* FindQaicOption(std::string_view name);

// All names, for suggestions.
std::vector<std::string> QaicOptionNames();

// The text of `halftone qaic-compile -h`, from the table.
std::string QaicHelp();

}  // namespace halftone
