#include "src/training/merge.h"

#include <fmt/format.h>

#include <cctype>

namespace halftone {
namespace {

constexpr std::string PrecisionArguments::*kModes[] = {&PrecisionArguments::precision_mode,
                                                       &PrecisionArguments::precision_mode_v2};

bool IsMode(std::string PrecisionArguments::*argument) {
  return argument == kModes[0] || argument == kModes[1];
}

bool GivesMode(const PrecisionArguments& arguments) {
  return !(arguments.*kModes[0]).empty() || !(arguments.*kModes[1]).empty();
}

bool IsTyped(const PrecisionOptionRow& row, const PrecisionArguments& typed) {
  return !(typed.*row.argument).empty() || (IsMode(row.argument) && GivesMode(typed));
}

// True if `text` has the option as a whole word: --precision_mode is the beginning of another one.
bool Names(std::string_view text, const std::string& option) {
  for (auto at = text.find(option); at != text.npos; at = text.find(option, at + 1)) {
    const std::size_t end = at + option.size();
    if (end == text.size() ||
        (std::isalnum(static_cast<unsigned char>(text[end])) == 0 && text[end] != '_')) {
      return true;
    }
  }
  return false;
}

}  // namespace

MergedArguments MergeTyped(const TrainingScript& script, const PrecisionArguments& typed) {
  MergedArguments merged{.arguments = script.arguments, .warnings = {}};
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    std::string& value = merged.arguments.*row.argument;
    if (!IsTyped(row, typed)) {
      continue;
    }
    if (!value.empty() && value != typed.*row.argument && script.lines.contains(row.name)) {
      const std::string& now = typed.*row.argument;
      merged.warnings.push_back(fmt::format("{} wins over {}={} of the training script",
                                            now.empty() ? "the precision mode on the command line"
                                                        : fmt::format("--{}={}", row.name, now),
                                            row.name, value));
    }
    value = typed.*row.argument;
  }
  return merged;
}

std::string ScriptLines(const TrainingScript& script, std::string_view path,
                        const PrecisionArguments& typed, std::string_view message) {
  std::string text;
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    const auto line = script.lines.find(row.name);
    const std::string option = fmt::format("--{}", row.name);
    if (line != script.lines.end() && !IsTyped(row, typed) && Names(message, option)) {
      text += fmt::format("; {} is from {}:{}", option, path, line->second);
    }
  }
  return text;
}

}  // namespace halftone
