// Words of each family of targets for the parts of a configuration, one row a family. Sentences
// about configurations take them from here, so that a user reads the words of the tool that
// compiles the network.
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

// A member that a row leaves out has halftone's own word.
struct Vocabulary {
  std::string_view family;                   // beginning of TargetSpec::family
  std::span<const FamilyWord> modes = {};    // modes without a row keep their names
  std::span<const FamilyWord> formats = {};  // formats without a row keep their names as tables
                                             // show them
  std::string_view no_mode = "default mode";
  std::string_view keep = "keep {}";          // {}: what stays as it is in the model
  std::string_view kept_type = "";            // noun of a kept type; empty: its line is shown
  std::string_view lists = "mixlist change";  // noun: a change of the lists of a mixed mode
  std::string_view custom = "customized dtype line";  // noun: a line of dtypes of a node
  std::string_view node_sets = "keep_dtype sets";     // noun: sets of kept nodes of a search space
  std::string_view other_modes = "other implementation modes";    // a difference of two points
  std::string_view implementations = "implementation-mode sets";  // noun; empty: there are none
  std::string_view script = "";           // file of a point that compiles it; empty: none
  bool arguments_are_of_the_tool = true;  // those in arguments.txt

  // The words for a value of --precision_mode or --precision_mode_v2, and for a number format.
  [[nodiscard]] std::string_view ModeWord(std::string_view mode) const;
  [[nodiscard]] std::string FormatWord(std::string_view format) const;
};

// All rows; a family that no row names has the words of the first, halftone's own.
std::span<const Vocabulary> AllVocabularies();

const Vocabulary& VocabularyOf(const TargetSpec& target);

// The row of a built-in target by its name; halftone's own words for another name.
const Vocabulary& VocabularyOfTarget(std::string_view soc_version);

// One line for tables and progress: "force_fp16, keep 2 nodes, high_precision for 3 types";
// "-convert-to-fp16, FP32 for 2 nodes".
std::string Summary(const PrecisionOptions& options, const Vocabulary& words);

}  // namespace halftone
