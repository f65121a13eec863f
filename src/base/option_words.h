// Table of the names that options have in messages and in other languages.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "halftone/words.h"

namespace halftone {

// A name in messages, "--input_shape" or "AddShape()", and its name in each language; an empty one
// stands for the name without its dashes.
struct OptionWord {
  std::string_view name;
  std::string_view python = {};
  std::string_view python_shapes = {};  // empty: as python
  std::string_view c = {};
};

std::span<const OptionWord> AllOptionWords();

// The sentence with `word_of` in place of each name in it. Command lines of halftone in it,
// "halftone bank prune --dry_run", and options of other tools stay.
std::string WithWords(std::string_view sentence,
                      const std::function<std::string(const OptionWord&)>& word_of);

}  // namespace halftone
