#include "src/aoe/aoe_words.h"

#include <fmt/format.h>

#include "src/aoe/option_table.h"
#include "src/base/option_words.h"

namespace halftone {

std::string InWordsOfAoe(std::string_view sentence) {
  return WithWords(sentence, [](const OptionWord& word) {
    constexpr std::string_view kDashes = "--";
    if (!word.name.starts_with(kDashes)) {
      return std::string(word.name);
    }
    const ToolOption* option = AoeTable().Find(word.name.substr(kDashes.size()));
    const bool decides = option != nullptr && (option->use == ToolOptionUse::kMapped ||
                                               option->use == ToolOptionUse::kOwn);
    return decides ? std::string(word.name) : fmt::format("halftone tune {}", word.name);
  });
}

}  // namespace halftone
