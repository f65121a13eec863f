// Words of the families of targets for what a configuration says: a row a family. Sentences about
// configurations take them from here, so that a user reads those of the tool that he compiles with.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/precision/precision_options.h"
#include "src/target/target_spec.h"

namespace halftone {

// A word of the tables of precision modes and number formats, and what a family calls it.
struct FamilyWord {
  std::string_view word;
  std::string_view theirs;
};

struct Vocabulary {
  std::string_view family;                // TargetSpec::family that begins so
  std::span<const FamilyWord> modes;      // others as they are
  std::span<const FamilyWord> formats;    // of NumericFormat as tables show them; likewise
  std::string_view no_mode;               // no mode is given
  std::string_view keep;                  // "keep {}": what follows stays as it is in the model
  std::string_view kept_type;             // noun of a kept type; empty: its line is shown
  std::string_view lists;                 // noun of a change of the lists of a mixed mode
  std::string_view custom;                // noun of a line that gives the dtypes of a node
  std::string_view node_sets;             // noun of sets of kept nodes, in a search space
  std::string_view other_modes;           // of two points that differ in implementation modes
  std::string_view implementations;       // noun of implementation modes; empty: there are none
  std::string_view script;                // file of a point that compiles it; empty: none
  bool arguments_are_of_the_tool = true;  // those in arguments.txt

  // The words for a value of --precision_mode or --precision_mode_v2, and for a number format.
  [[nodiscard]] std::string_view ModeWord(std::string_view mode) const;
  [[nodiscard]] std::string FormatWord(std::string_view format) const;
};

// All rows; a family that no row names has the words of the first, halftone's own.
std::span<const Vocabulary> AllVocabularies();

const Vocabulary& VocabularyOf(const TargetSpec& target);

// Of a built-in target by its name; of another name halftone's own words.
const Vocabulary& VocabularyOfTarget(std::string_view soc_version);

// One line for tables and progress: "force_fp16, keep 2 nodes, high_precision for 3 types";
// "-convert-to-fp16, FP32 for 2 nodes".
std::string Summary(const PrecisionOptions& options, const Vocabulary& words);

}  // namespace halftone
