// Names of options in messages. Sentences name an option as the command line does, "--input_shape";
// an interface of another language replaces that by its own name.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace halftone {

enum class Language : std::uint8_t {
  kPython,
  kPythonShapes,  // tune() and Session, which take several shapes
  kC,
};

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

// WithWords() with the names of the language: "--soc_version=host" becomes "target=host".
std::string InWordsOf(Language language, std::string_view sentence);

}  // namespace halftone
