// Table of option names: in messages, and in the interfaces of other languages.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "halftone/words.h"

namespace halftone {

// Names of an option or function. An empty name stands for `name` without its dashes.
struct OptionWord {
  std::string_view name;  // in messages: "--input_shape", "AddShape()"
  std::string_view python = {};
  std::string_view python_shapes = {};  // for Language::kPythonShapes; empty: as `python`
  std::string_view c = {};
};

std::span<const OptionWord> AllOptionWords();

// Returns the sentence with word_of(row) in place of each name of the table. Command lines of
// halftone, such as "halftone bank prune --dry_run", and options of other tools are not changed.
std::string WithWords(std::string_view sentence,
                      const std::function<std::string(const OptionWord&)>& word_of);

}  // namespace halftone
