#include "src/aoe/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/aoe/option_table.h"
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/base/whole_number.h"

namespace halftone {
namespace {

[[noreturn]] void ThrowUsage(std::string message) {
  throw Error(ErrorKind::kUsage, std::move(message));
}

// One word as an option: "--name=value", "--name", "-m".
struct Word {
  const AoeOption* option = nullptr;
  std::string shown;  // as the user typed the name
  std::optional<std::string> value;
  bool has_equals = false;
};

[[noreturn]] void ThrowUnknown(std::string_view name) {
  std::vector<std::string> names;
  for (const AoeOption& option : AoeOptions()) {
    names.emplace_back(option.name);
  }
  const auto close = ClosestNames(name, names);
  ThrowUsage(fmt::format("unknown option --{}{}; see halftone aoe --help", name,
                         close.empty() ? "" : fmt::format("; did you mean --{}?", close.front())));
}

Word ReadWord(std::string_view text) {
  if (text.starts_with("--")) {
    const auto equals = text.find('=');
    const std::string_view name = text.substr(2, equals == text.npos ? text.npos : equals - 2);
    Word word{FindAoeOption(name), fmt::format("--{}", name), std::nullopt};
    if (word.option == nullptr) {
      ThrowUnknown(name);
    }
    if (equals != text.npos) {
      word.value = text.substr(equals + 1);
      word.has_equals = true;
    }
    return word;
  }
  if (text.size() >= 2 && text[0] == '-') {
    Word word{FindAoeShortOption(text.substr(0, 2)), std::string(text.substr(0, 2)), std::nullopt};
    if (word.option == nullptr) {
      ThrowUsage(fmt::format("unknown option {}; see halftone aoe --help", text));
    }
    if (text.size() > 2) {
      ThrowUsage(fmt::format("{}: expected a blank between {} and its value", text, word.shown));
    }
    return word;
  }
  ThrowUsage(fmt::format("'{}' belongs to no option; see halftone aoe --help", text));
}

bool IsInteger(const AoeOption& option, std::string_view value) {
  const auto number = WholeNumber<long>(value);
  return number && *number >= option.least && *number <= option.most;
}

void CheckValue(const AoeOption& option, std::string_view value) {
  switch (option.kind) {
    case AoeValueKind::kChoice:
    case AoeValueKind::kBoolean: {
      const auto choices = Split(option.choices, ',');
      if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
        ThrowUsage(fmt::format("{}: --{}={}: expected one of {}",
                               option.kind == AoeValueKind::kBoolean ? "E10005" : "E10001",
                               option.name, value, option.choices));
      }
      return;
    }
    case AoeValueKind::kInteger:
      if (!IsInteger(option, value)) {
        ThrowUsage(fmt::format("E10001: --{}={}: expected an integer from {} to {}", option.name,
                               value, option.least, option.most));
      }
      return;
    case AoeValueKind::kIntegers:
      for (const std::string_view item : Split(value, ',')) {
        if (!IsInteger(option, item)) {
          ThrowUsage(
              fmt::format("E10001: --{}={}: expected integers from {} to {}, separated by "
                          "commas, found '{}'",
                          option.name, value, option.least, option.most, item));
        }
      }
      return;
    case AoeValueKind::kNumber: {
      const auto number = WholeNumber<double>(value);
      if (!number || !std::isfinite(*number)) {
        ThrowUsage(fmt::format("E10001: --{}={}: expected a number", option.name, value));
      }
      return;
    }
    case AoeValueKind::kText:
    case AoeValueKind::kFlag:
    case AoeValueKind::kOptionalText:
      return;
  }
}

bool TakesNextWord(const AoeOption& option) {
  return option.kind != AoeValueKind::kFlag;
}

// Completes `word` from the words that follow it and returns how many it took.
std::size_t TakeValue(Word& word, std::span<const std::string> rest) {
  const AoeOption& option = *word.option;
  if (option.kind == AoeValueKind::kFlag) {
    if (word.value) {
      ThrowUsage(fmt::format("{}={}: expected no value: {} is a flag", word.shown, *word.value,
                             word.shown));
    }
    word.value = "true";
    return 0;
  }
  if (word.value) {
    return 0;
  }
  const bool next_is_value = !rest.empty() && !rest.front().starts_with('-');
  // A negative number is the one value that may begin with a dash.
  const bool next_is_number = !rest.empty() && option.kind != AoeValueKind::kOptionalText &&
                              WholeNumber<double>(rest.front()).has_value();
  if (TakesNextWord(option) && (next_is_value || next_is_number)) {
    word.value = rest.front();
    return 1;
  }
  if (option.kind == AoeValueKind::kOptionalText) {
    word.value = "";
    return 0;
  }
  ThrowUsage(fmt::format("{}: expected a value after it, found {}", word.shown,
                         rest.empty() ? "the end" : fmt::format("'{}'", rest.front())));
}

void Accept(const Word& word, AoeCommandLine& line) {
  const AoeOption& option = *word.option;
  if (word.value->empty() && (option.kind != AoeValueKind::kOptionalText || word.has_equals)) {
    return;  // an empty value means that the option is not given
  }
  CheckValue(option, *word.value);
  if (!line.values.emplace(option.name, *word.value).second) {
    ThrowUsage(fmt::format("--{} is given twice; give it once", option.name));
  }
}

// Exclusions that name both options come before the refusal of either.
void CheckDynamicProfiles(const AoeCommandLine& line) {
  std::vector<std::string> given;
  for (const std::string_view name : {"dynamic_batch_size", "dynamic_image_size", "dynamic_dims"}) {
    if (line.Has(name)) {
      given.push_back(fmt::format("--{}", name));
    }
  }
  if (given.size() > 1) {
    ThrowUsage(
        fmt::format("E10056: {} exclude each other; give one of them", Join(given, " and ")));
  }
}

}  // namespace

std::string AoeCommandLine::Get(std::string_view name) const {
  if (const auto found = values.find(name); found != values.end()) {
    return found->second;
  }
  const AoeOption* option = FindAoeOption(name);
  Check(option != nullptr, fmt::format("--{} is not in the table of AOE options", name));
  return std::string(option->default_value);
}

long AoeCommandLine::GetInteger(std::string_view name) const {
  const auto number = WholeNumber<long>(Get(name));
  Check(number.has_value(), fmt::format("--{} is no integer option", name));
  return *number;
}

AoeCommandLine ParseAoeCommandLine(std::span<const std::string> words) {
  AoeCommandLine line;
  if (std::any_of(words.begin(), words.end(),
                  [](const std::string& word) { return word == "--help" || word == "-h"; })) {
    line.help = true;
    return line;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    Word word = ReadWord(words[i]);
    i += TakeValue(word, words.subspan(i + 1));
    Accept(word, line);
  }
  CheckDynamicProfiles(line);
  for (const AoeOption& option : AoeOptions()) {
    if (!line.Has(option.name)) {
      continue;
    }
    if (option.use == AoeOptionUse::kRefused) {
      ThrowUsage(fmt::format("--{} is not supported: {}", option.name, option.note));
    }
    if (option.use == AoeOptionUse::kNoEffect) {
      line.notes.push_back(fmt::format("--{} has no effect here: {}", option.name, option.note));
    }
  }
  return line;
}

}  // namespace halftone
