#include "src/qaic/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/base/whole_number.h"
#include "src/qaic/option_table.h"

namespace halftone {
namespace {

constexpr std::string_view kHelpWords[] = {"-h", "-help",  "--help", "--help-all",
                                           "-u", "-usage", "--usage"};

[[noreturn]] void ThrowUsage(std::string message) {
  throw Error(ErrorKind::kUsage, std::move(message));
}

// One word as an option: "-name=value", "-name".
struct Word {
  const QaicOption* option = nullptr;
  std::optional<std::string> value;
};

[[noreturn]] void ThrowUnknown(std::string_view name) {
  const auto close = ClosestNames(name, QaicOptionNames());
  ThrowUsage(fmt::format("unknown option -{}{}; see halftone qaic-compile -h", name,
                         close.empty() ? "" : fmt::format("; did you mean -{}?", close.front())));
}

Word ReadWord(std::string_view text) {
  if (text.size() < 2 || text[0] != '-') {
    ThrowUsage(fmt::format("'{}' belongs to no option; see halftone qaic-compile -h", text));
  }
  text.remove_prefix(text.starts_with("--") ? 2 : 1);
  const auto equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  Word word{FindQaicOption(name), std::nullopt};
  if (word.option == nullptr) {
    ThrowUnknown(name);
  }
  if (equals != text.npos) {
    word.value = text.substr(equals + 1);
  }
  return word;
}

[[noreturn]] void ThrowValue(const QaicOption& option, std::string_view value,
                             std::string_view expected) {
  ThrowUsage(fmt::format("-{}={}: expected {}", option.name, value, expected));
}

void CheckChoice(const QaicOption& option, std::string_view value) {
  const auto choices = Split(option.choices, ',');
  if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
    const auto close = ClosestNames(value, {choices.begin(), choices.end()});
    ThrowValue(option, value,
               fmt::format("one of {}{}", option.choices,
                           close.empty() ? "" : fmt::format("; did you mean {}?", close.front())));
  }
  if (!option.refused_choice.empty() && value == option.refused_choice) {
    ThrowUsage(fmt::format("-{}={}: {}", option.name, value, option.refusal));
  }
}

void CheckValue(const QaicOption& option, std::string_view value) {
  switch (option.kind) {
    case QaicValueKind::kChoice:
      CheckChoice(option, value);
      return;
    case QaicValueKind::kInteger: {
      const auto number = WholeNumber<std::int64_t>(value);
      if (!number || static_cast<double>(*number) < option.least ||
          static_cast<double>(*number) > option.most) {
        ThrowValue(option, value,
                   fmt::format("an integer from {:.0f} to {:.0f}", option.least, option.most));
      }
      return;
    }
    case QaicValueKind::kNumber: {
      const auto number = WholeNumber<double>(value);
      if (!number || !(*number >= option.least && *number <= option.most)) {
        ThrowValue(option, value,
                   fmt::format("a number from {:g} to {:g}", option.least, option.most));
      }
      return;
    }
    case QaicValueKind::kFlag:
      if (value != "true" && value != "false" && value != "1" && value != "0") {
        ThrowValue(option, value, "no value, true or false: it is a flag");
      }
      return;
    case QaicValueKind::kList:
      for (const std::string_view item : Split(value, ',')) {
        if (Trim(item).empty()) {
          ThrowValue(option, value, "names separated by commas, found an empty one");
        }
      }
      return;
    case QaicValueKind::kText:
    case QaicValueKind::kRepeated:
      return;
  }
}

// Completes `word` from the words that follow it and returns how many it took.
std::size_t TakeValue(Word& word, std::span<const std::string> rest) {
  const QaicOption& option = *word.option;
  if (word.value) {
    return 0;
  }
  if (option.kind == QaicValueKind::kFlag) {
    word.value = "true";
    return 0;
  }
  // A negative number is the one value behind a blank that may begin with a dash.
  if (!rest.empty() && (!rest.front().starts_with('-') || WholeNumber<double>(rest.front()))) {
    word.value = rest.front();
    return 1;
  }
  ThrowUsage(fmt::format("-{}: expected a value after it, found {}", option.name,
                         rest.empty() ? "the end" : fmt::format("'{}'", rest.front())));
}

void Accept(const Word& word, QaicCommandLine& line) {
  const QaicOption& option = *word.option;
  if (word.value->empty()) {
    return;  // an empty value means that the option is not given
  }
  CheckValue(option, *word.value);
  const bool is_off =
      option.kind == QaicValueKind::kFlag && (*word.value == "false" || *word.value == "0");
  if (is_off) {
    return;
  }
  std::vector<std::string>& values = line.values[std::string(option.name)];
  if (!values.empty() && option.kind != QaicValueKind::kRepeated) {
    ThrowUsage(fmt::format("-{} is given twice; give it once", option.name));
  }
  values.push_back(option.kind == QaicValueKind::kFlag ? "true" : *word.value);
}

}  // namespace

std::string QaicCommandLine::Get(std::string_view name) const {
  if (const auto found = values.find(name); found != values.end()) {
    return found->second.front();
  }
  const QaicOption* option = FindQaicOption(name);
  Check(option != nullptr, fmt::format("-{} is not in the table of Cloud AI options", name));
  return std::string(option->default_value);
}

std::vector<std::string> QaicCommandLine::All(std::string_view name) const {
  const auto found = values.find(name);
  return found == values.end() ? std::vector<std::string>() : found->second;
}

std::vector<std::string> QaicCommandLine::List(std::string_view name) const {
  std::vector<std::string> items;
  for (const std::string& value : All(name)) {
    for (const std::string_view item : Split(value, ',')) {
      items.emplace_back(Trim(item));
    }
  }
  return items;
}

double QaicCommandLine::Number(std::string_view name, double otherwise) const {
  const std::string text = Get(name);
  if (text.empty()) {
    return otherwise;
  }
  const auto number = WholeNumber<double>(text);
  Check(number.has_value(), fmt::format("-{} is no option with a number", name));
  return *number;
}

QaicCommandLine ParseQaicCommandLine(std::span<const std::string> words) {
  QaicCommandLine line;
  line.help = std::ranges::any_of(words, [](const std::string& word) {
    return std::ranges::find(kHelpWords, word) != std::end(kHelpWords);
  });
  if (line.help) {
    return line;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    Word word = ReadWord(words[i]);
    i += TakeValue(word, words.subspan(i + 1));
    Accept(word, line);
  }
  for (const QaicOption& option : QaicOptions()) {
    if (!line.Has(option.name)) {
      continue;
    }
    if (option.use == QaicOptionUse::kRefused) {
      ThrowUsage(fmt::format("-{} is not supported: {}", option.name, option.note));
    }
    if (option.use == QaicOptionUse::kNoEffect) {
      line.notes.push_back(fmt::format("-{} has no effect here: {}", option.name, option.note));
    }
  }
  return line;
}

}  // namespace halftone
