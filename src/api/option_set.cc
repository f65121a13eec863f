// Option sets as one text, read for `explain --diff` and written for `explain --output`.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>

#include "src/api/halftone.h"
#include "src/api/option_folder.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/precision/plan_writer.h"
#include "src/precision/resolve.h"
#include "src/precision/write_files.h"
#include "src/target/builtin_targets.h"

namespace halftone {
namespace {

constexpr std::string_view kSocVersion = "soc_version";
constexpr std::string_view kOpsInfo = "ops_info";
constexpr std::string_view kFusionSwitchFile = "fusion_switch_file";

// Words between blanks; quotes of either kind group, and are dropped.
std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0 ? c == quote : (c == '\'' || c == '"')) {
      quote = quote != 0 ? '\0' : c;
      inside = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      if (inside) {
        words.push_back(std::move(word));
      }
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (quote != 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("expected a closing {} in the option set '{}'", quote, text));
  }
  if (inside) {
    words.push_back(std::move(word));
  }
  return words;
}

// What the words of a set say; of the target only what they name.
struct SetArguments {
  PrecisionArguments precision;
  TargetOptions target;
  std::string fusion_switch_file;
};

// Where the value of an option goes, and whether it is a path.
struct Slot {
  std::function<void(SetArguments&, std::string)> set;
  bool is_path = false;
};

std::optional<Slot> FindSlot(std::string_view name) {
  if (name == kSocVersion) {
    return Slot{
        [](SetArguments& to, std::string value) { to.target.soc_version = std::move(value); }};
  }
  if (name == kOpsInfo) {
    return Slot{[](SetArguments& to, std::string value) { to.target.ops_info = std::move(value); },
                true};
  }
  if (name == kFusionSwitchFile) {
    return Slot{
        [](SetArguments& to, std::string value) { to.fusion_switch_file = std::move(value); },
        true};
  }
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    if (row.name == name) {
      return Slot{[&row](SetArguments& to, std::string value) {
                    to.precision.*row.argument = std::move(value);
                  },
                  row.is_file()};
    }
  }
  return std::nullopt;
}

[[noreturn]] void ThrowNoOption(std::string_view name, std::string_view word) {
  std::vector<std::string> names = {std::string(kSocVersion), std::string(kOpsInfo),
                                    std::string(kFusionSwitchFile)};
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    names.emplace_back(row.name);
  }
  const auto near = ClosestNames(name, names);
  throw Error(ErrorKind::kUsage,
              fmt::format("expected precision options in the option set, found '{}'{}{}", word,
                          near.empty() ? "" : fmt::format("; did you mean --{}?", near.front()),
                          word.find('=') == word.npos && near.empty()
                              ? ", which is no file or folder either"
                              : ""));
}

// "--name=value" or "--name value", as on the command line; the dashes may be left out.
SetArguments ArgumentsOf(const std::vector<std::string>& words,
                         const std::filesystem::path& folder) {
  SetArguments arguments;
  std::set<std::string> given;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    const bool dashes = word.starts_with("--");
    const std::string name = word.substr(0, equals).substr(dashes ? 2 : 0);
    const std::optional<Slot> slot = FindSlot(name);
    if (!slot) {
      ThrowNoOption(name, word);
    }
    if (equals == std::string::npos && i + 1 == words.size()) {
      throw Error(ErrorKind::kUsage, fmt::format("expected a value after '{}'", word));
    }
    std::string value = equals == std::string::npos ? words[++i] : word.substr(equals + 1);
    if (slot->is_path && !value.empty() && std::filesystem::path(value).is_relative()) {
      value = (folder / value).string();
    }
    if (!given.insert(name).second) {
      throw Error(ErrorKind::kUsage, fmt::format("the option set gives --{} twice", name));
    }
    slot->set(arguments, std::move(value));
  }
  return arguments;
}

SetArguments ReadSet(const std::string& text) {
  std::error_code error;
  const std::filesystem::path path = text;
  if (std::filesystem::is_directory(path, error)) {
    return ArgumentsOf(WordsOf(ReadFile(path / kArgumentsFile)), path);
  }
  if (!text.starts_with("-") && std::filesystem::is_regular_file(path, error)) {
    return ArgumentsOf(WordsOf(ReadFile(path)), path.parent_path());
  }
  return ArgumentsOf(WordsOf(text), {});
}

}  // namespace

OptionSet LoadOptionSet(const std::string& text, const TargetOptions& target) {
  SetArguments arguments = ReadSet(text);
  const bool own_target =
      !arguments.target.soc_version.empty() || !arguments.target.ops_info.empty();
  OptionSet set{.target = LoadTarget(own_target ? arguments.target : target),
                .precision = {},
                .fusion_switch_file = std::move(arguments.fusion_switch_file)};
  set.precision = LoadPrecision(arguments.precision, set.target);
  return set;
}

WrittenOptions WriteSmallestOptions(const Model& model, const TargetSpec& target,
                                    const PrecisionOptions& options,
                                    const std::filesystem::path& folder,
                                    bool unknown_names_are_warnings) {
  const PrecisionPlan plan = ResolvePrecision(
      model.graph, options, target, {.unknown_names_are_warnings = unknown_names_are_warnings});
  WrittenConfiguration written = ConfigurationFor(model.graph, plan, target);
  OptionFiles files = WriteOptionFiles(written.options, model.fusion_switches);
  if (FindSocVersion(target.name) != nullptr) {
    files.arguments.insert(files.arguments.begin(),
                           fmt::format("--{}={}", kSocVersion, target.name));
  }
  std::string lines;
  for (const std::string& argument : files.arguments) {
    // Values with blanks or semicolons must come back as one word, here and in a shell.
    const std::size_t equals = argument.find('=');
    const bool plain = argument.find_first_of(" ;") == std::string::npos;
    lines += plain ? argument + "\n"
                   : fmt::format("{}'{}'\n", argument.substr(0, equals + 1),
                                 argument.substr(equals + 1));
  }
  WriteOptionFolder(folder, files, lines);
  return {files.arguments, written.size, std::move(written.notes)};
}

}  // namespace halftone
