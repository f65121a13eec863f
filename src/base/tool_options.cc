#include "src/base/tool_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/base/error.h"
#include "src/base/numbers.h"
#include "src/base/text.h"

namespace halftone {
namespace {

using Kind = ToolValueKind;

[[noreturn]] void ThrowUsage(std::string_view message) {
  throw Error(ErrorKind::kUsage, message);
}

// One word as an option: "--name=value", "--name", "-m".
struct Word {
  const ToolOption* option = nullptr;
  std::string shown;  // the option for messages
  std::optional<std::string> value;
  bool has_equals = false;
};

class Reader {
 public:
  explicit Reader(const ToolTable& table) : table_(table), syntax_(table.syntax) {
    line_.table = &table;
  }

  ToolCommandLine Read(std::span<const std::string> words) {
    line_.help = std::ranges::any_of(words, [&](const std::string& word) {
      return std::ranges::find(syntax_.help_words, word) != syntax_.help_words.end();
    });
    if (line_.help) {
      return std::move(line_);
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      Word word = ReadWord(words[i]);
      i += TakeValue(word, words.subspan(i + 1));
      Accept(word);
    }
    CheckExclusions();
    CheckUses();
    return std::move(line_);
  }

 private:
  [[nodiscard]] std::string Shown(const ToolOption& option) const {
    return fmt::format("{}{}", syntax_.dashes, option.name);
  }

  [[noreturn]] void ThrowUnknown(std::string_view name) const {
    const auto close = ClosestNames(name, table_.Names());
    ThrowUsage(fmt::format(
        "unknown option {}{}{}; see {}", syntax_.dashes, name,
        close.empty() ? "" : fmt::format("; did you mean {}{}?", syntax_.dashes, close.front()),
        syntax_.help));
  }

  [[nodiscard]] Word ReadWord(std::string_view text) const {
    if (text.size() < 2 || text[0] != '-') {
      ThrowUsage(fmt::format("'{}' belongs to no option; see {}", text, syntax_.help));
    }
    const bool is_long = text.starts_with("--");
    if (syntax_.other_names_are_short && !is_long) {
      return ReadShort(text);
    }
    text.remove_prefix(is_long ? 2 : 1);
    const auto equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    Word word;
    word.option = table_.Find(name);
    if (word.option == nullptr || (syntax_.other_names_are_short && word.option->name != name)) {
      ThrowUnknown(name);
    }
    word.shown = Shown(*word.option);
    if (equals != text.npos) {
      word.value = text.substr(equals + 1);
      word.has_equals = true;
    }
    return word;
  }

  // "-m", whose value is the next word.
  [[nodiscard]] Word ReadShort(std::string_view text) const {
    const std::string_view name = text.substr(1, 1);
    const auto option = std::ranges::find(table_.options, name, &ToolOption::other_name);
    if (option == table_.options.end()) {
      ThrowUsage(fmt::format("unknown option {}; see {}", text, syntax_.help));
    }
    Word word{.option = &*option, .shown = fmt::format("-{}", name), .value = {}};
    if (text.size() > 2) {
      ThrowUsage(fmt::format("{}: expected a blank between {} and its value", text, word.shown));
    }
    return word;
  }

  // Completes `word` from the words that follow it and returns how many it took.
  [[nodiscard]] std::size_t TakeValue(Word& word, std::span<const std::string> rest) const {
    const ToolOption& option = *word.option;
    if (option.kind == Kind::kFlag) {
      if (word.value && !syntax_.flags_take_values) {
        ThrowUsage(fmt::format("{}={}: expected no value: {} is a flag", word.shown, *word.value,
                               word.shown));
      }
      word.value = word.value.value_or("true");
      return 0;
    }
    if (word.value) {
      return 0;
    }
    // A negative number is the one value behind a blank that may begin with a dash.
    const bool takes_next =
        !rest.empty() && (!rest.front().starts_with('-') || (option.kind != Kind::kOptionalText &&
                                                             WholeNumber<double>(rest.front())));
    if (takes_next) {
      word.value = rest.front();
      return 1;
    }
    if (option.kind == Kind::kOptionalText) {
      word.value = "";
      return 0;
    }
    ThrowUsage(fmt::format("{}: expected a value after it, found {}", word.shown,
                           rest.empty() ? "the end" : fmt::format("'{}'", rest.front())));
  }

  void Accept(const Word& word) {
    const ToolOption& option = *word.option;
    if (word.value->empty() && (option.kind != Kind::kOptionalText || word.has_equals)) {
      return;  // an empty value means that the option is not given
    }
    CheckValue(option, *word.value);
    if (option.kind == Kind::kFlag && (*word.value == "false" || *word.value == "0")) {
      return;
    }
    std::vector<std::string>& values = line_.values[std::string(option.name)];
    if (!values.empty() && option.kind != Kind::kRepeated) {
      ThrowUsage(fmt::format("{} is given twice; give it once", Shown(option)));
    }
    values.push_back(option.kind == Kind::kFlag ? "true" : *word.value);
  }

  [[noreturn]] void ThrowValue(const ToolOption& option, std::string_view value,
                               std::string_view expected) const {
    ThrowUsage(
        fmt::format("{}{}={}: expected {}",
                    option.kind == Kind::kBoolean ? syntax_.boolean_code : syntax_.value_code,
                    Shown(option), value, expected));
  }

  static bool IsInteger(const ToolOption& option, std::string_view value) {
    return NumberIn(value, WholeRange{option.least, option.most}).has_value();
  }

  void CheckChoice(const ToolOption& option, std::string_view value) const {
    const auto choices = Split(option.choices, ',');
    if (std::ranges::find(choices, value) == choices.end()) {
      const auto close = syntax_.suggests_values
                             ? ClosestNames(value, {choices.begin(), choices.end()})
                             : std::vector<std::string>();
      ThrowValue(
          option, value,
          fmt::format("one of {}{}", option.choices,
                      close.empty() ? "" : fmt::format("; did you mean {}?", close.front())));
    }
  }

  void CheckNumber(const ToolOption& option, std::string_view value) const {
    const bool bounded = option.most > option.least;
    const RealRange range = {.least = static_cast<double>(option.least),
                             .most = static_cast<double>(option.most),
                             .share = option.most == 1};
    if (bounded ? !NumberIn(value, range) : !FiniteNumber(value)) {
      ThrowValue(option, value,
                 bounded ? RangeText(range) + PercentHint(value, range) : "a number");
    }
  }

  void CheckValue(const ToolOption& option, std::string_view value) const {
    switch (option.kind) {
      case Kind::kChoice:
      case Kind::kBoolean:
        CheckChoice(option, value);
        return;
      case Kind::kInteger:
        if (!IsInteger(option, value)) {
          ThrowValue(option, value,
                     fmt::format("an integer from {} to {}", option.least, option.most));
        }
        return;
      case Kind::kIntegers:
        for (const std::string_view item : Split(value, ',')) {
          if (!IsInteger(option, item)) {
            ThrowValue(option, value,
                       fmt::format("integers from {} to {}, separated by commas, found '{}'",
                                   option.least, option.most, item));
          }
        }
        return;
      case Kind::kNumber:
        CheckNumber(option, value);
        return;
      case Kind::kFlag:
        if (value != "true" && value != "false" && value != "1" && value != "0") {
          ThrowValue(option, value, "no value, true or false: it is a flag");
        }
        return;
      case Kind::kList:
        for (const std::string_view item : Split(value, ',')) {
          if (Trim(item).empty()) {
            ThrowValue(option, value, "names separated by commas, found an empty one");
          }
        }
        return;
      case Kind::kText:
      case Kind::kOptionalText:
      case Kind::kRepeated:
        return;
    }
  }

  // They name both options, so they come before the refusal of either.
  void CheckExclusions() const {
    for (const ToolExclusion& exclusion : table_.exclusions) {
      std::vector<std::string> given;
      for (const std::string_view name : exclusion.names) {
        if (line_.Has(name)) {
          given.push_back(fmt::format("{}{}", syntax_.dashes, name));
        }
      }
      if (given.size() > 1) {
        ThrowUsage(fmt::format("{}{} exclude each other; give one of them", exclusion.code,
                               Join(given, " and ")));
      }
    }
  }

  void CheckUses() {
    for (const ToolOption& option : table_.options) {
      if (!line_.Has(option.name)) {
        continue;
      }
      if (option.use == ToolOptionUse::kRefused) {
        ThrowUsage(fmt::format("{}{} is not supported: {}", syntax_.value_code, Shown(option),
                               option.note));
      }
      if (option.use == ToolOptionUse::kNoEffect) {
        line_.notes.push_back(fmt::format("{} has no effect here: {}", Shown(option), option.note));
      }
    }
  }

  const ToolTable& table_;
  const ToolSyntax& syntax_;
  ToolCommandLine line_;
};

}  // namespace

const ToolOption* ToolTable::Find(std::string_view name) const {
  for (const ToolOption& option : options) {
    if (option.name == name || (!option.other_name.empty() && option.other_name == name)) {
      return &option;
    }
  }
  return nullptr;
}

std::vector<std::string> ToolTable::Names() const {
  std::vector<std::string> names;
  for (const ToolOption& option : options) {
    names.emplace_back(option.name);
  }
  return names;
}

std::string ToolTable::Sections(std::string (*heading)(const ToolOption& option)) const {
  const std::pair<ToolOptionUse, std::string> sections[] = {
      {ToolOptionUse::kMapped, fmt::format("Options of {}:", syntax.tool)},
      {ToolOptionUse::kOwn, "Options of halftone:"},
      {ToolOptionUse::kNoEffect, "Accepted without effect:"},
      {ToolOptionUse::kRefused, "Refused:"},
  };
  std::string text;
  for (const auto& [use, title] : sections) {
    text += fmt::format("\n{}\n", title);
    for (const ToolOption& option : options) {
      if (option.use != use) {
        continue;
      }
      text += fmt::format("{}\n      {}\n", heading(option), option.note);
    }
  }
  return text;
}

std::string ToolCommandLine::Get(std::string_view name) const {
  if (const auto found = values.find(name); found != values.end()) {
    return found->second.front();
  }
  const ToolOption* option = table == nullptr ? nullptr : table->Find(name);
  Check(option != nullptr, fmt::format("{} is not in the table of options", name));
  return std::string(option->default_value);
}

std::vector<std::string> ToolCommandLine::All(std::string_view name) const {
  const auto found = values.find(name);
  return found == values.end() ? std::vector<std::string>() : found->second;
}

std::vector<std::string> ToolCommandLine::List(std::string_view name) const {
  std::vector<std::string> items;
  for (const std::string& value : All(name)) {
    for (const std::string_view item : Split(value, ',')) {
      items.emplace_back(Trim(item));
    }
  }
  return items;
}

long ToolCommandLine::Integer(std::string_view name) const {
  const auto number = WholeNumber<long>(Get(name));
  Check(number.has_value(), fmt::format("{} is no integer option", name));
  return *number;
}

double ToolCommandLine::Number(std::string_view name, double otherwise) const {
  const std::string text = Get(name);
  if (text.empty()) {
    return otherwise;
  }
  const auto number = WholeNumber<double>(text);
  Check(number.has_value(), fmt::format("{} is no option with a number", name));
  return *number;
}

ToolCommandLine ParseToolOptions(const ToolTable& table, std::span<const std::string> words) {
  return Reader(table).Read(words);
}

}  // namespace halftone
