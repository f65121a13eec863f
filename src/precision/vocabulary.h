// Words of each family of targets for the parts of a configuration. Sentences about configurations
// use them, so that a user reads the words of the tool that compiles the network.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "src/precision/precision_options.h"
#include "src/target/target_spec.h"

namespace halftone {

// A precision mode or number format, and the word of a family for it.
struct FamilyWord {
  std::string_view word;    // halftone's name
  std::string_view theirs;  // the family's word
};

// The words of one family. The defaults of the members are halftone's own words.
struct Vocabulary {
  std::string_view family;                 // prefix of TargetSpec::family
  std::span<const FamilyWord> modes = {};  // a mode without a row keeps its name
  // A format without a row keeps its name.
  std::span<const FamilyWord> formats = {};
  std::string_view no_mode = "default mode";
  std::string_view keep = "keep {}";  // {} stands for nodes or types that keep the model's dtypes
  // Noun for a type that is kept; empty: its line of keep_dtype is shown.
  std::string_view kept_type = {};
  std::string_view lists = "mixlist change";          // noun for a change of --modify_mixlist
  std::string_view custom = "customized dtype line";  // noun for a line of --customize_dtypes
  std::string_view node_sets = "keep_dtype sets";     // noun for the sets of kept nodes of a search
  // Noun for a difference of two points in implementation modes alone.
  std::string_view other_modes = "other implementation modes";
  // Noun for the sets of implementation modes of a search; empty: the family has no such modes.
  std::string_view implementations = "implementation-mode sets";
  std::string_view script = {};  // script of a point that compiles it; empty: there is none
  bool arguments_are_of_the_tool = true;  // true: arguments.txt has arguments of the family's tool

  // The word for a value of --precision_mode or --precision_mode_v2.
  [[nodiscard]] std::string_view ModeWord(std::string_view mode) const;
  // The word for a number format.
  [[nodiscard]] std::string FormatWord(std::string_view format) const;
};

// All rows. A family without a row has the words of the first row, which are halftone's own.
std::span<const Vocabulary> AllVocabularies();

const Vocabulary& VocabularyOf(const TargetSpec& target);

// The row of the built-in target with this name; for other names halftone's own words.
const Vocabulary& VocabularyOfTarget(std::string_view soc_version);

// The options on one line, for tables and progress: "force_fp16, keep 2 nodes, high_precision for 3
// types"; "-convert-to-fp16, FP32 for 2 nodes".
std::string Summary(const PrecisionOptions& options, const Vocabulary& words);

}  // namespace halftone
