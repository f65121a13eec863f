#include "src/api/options/set_arguments.h"

#include <fmt/format.h>

#include <functional>
#include <set>
#include <vector>

#include "src/api/load/plan_sources.h"
#include "src/api/options/option_folder.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/shell_words.h"
#include "src/base/text.h"
#include "src/precision/files/option_text.h"

namespace halftone {
namespace {

constexpr std::uintmax_t kMostBytes = 16U << 20U;  // as the files that it names

// An option of a set: where its value goes.
struct SetOption {
  std::string_view name;
  std::function<void(SetArguments&, std::string)> set;
  bool is_path = false;
  bool is_target = false;  // a path where it is one of a target file
  bool repeats = false;
  const PrecisionOptionRow* row = nullptr;  // of an option that decides about precision
};

std::vector<SetOption> MakeSetOptions() {
  using A = SetArguments;
  using S = std::string;
  std::vector<SetOption> options = {
      {"soc_version", [](A& to, S value) { to.target.soc_version = std::move(value); }, false,
       true},
      {"ops_info", [](A& to, S value) { to.target.ops_info = std::move(value); }, true},
      {"fusion_switch_file", [](A& to, S value) { to.fusion_switch_file = std::move(value); },
       true},
      {"input_shape", [](A& to, S value) { to.shapes.input_shape.push_back(std::move(value)); },
       false, false, true},
      {"dynamic_batch_size",
       [](A& to, S value) { to.shapes.dynamic_batch_size = std::move(value); }},
      {"dynamic_image_size",
       [](A& to, S value) { to.shapes.dynamic_image_size = std::move(value); }},
      {"dynamic_dims", [](A& to, S value) { to.shapes.dynamic_dims = std::move(value); }}};
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    options.push_back({row.name,
                       [&row](A& to, S value) { to.precision.*row.argument = std::move(value); },
                       row.is_file(), false, false, &row});
  }
  return options;
}

const std::vector<SetOption>& AllSetOptions() {
  static const std::vector<SetOption> kOptions = MakeSetOptions();
  return kOptions;
}

const SetOption* FindSetOption(std::string_view name) {
  for (const SetOption& option : AllSetOptions()) {
    if (option.name == name) {
      return &option;
    }
  }
  return nullptr;
}

[[noreturn]] void ThrowNoOption(std::string_view name, std::string_view word) {
  std::vector<std::string> names;
  for (const SetOption& option : AllSetOptions()) {
    names.emplace_back(option.name);
  }
  const auto near = ClosestNames(name, names);
  throw Error(
      ErrorKind::kUsage,
      fmt::format(
          "expected an option such as precision_mode=force_fp16, found '{}'{}; {}", Shown(word),
          word.find('=') == word.npos && near.empty() ? ", which is no file or folder either" : "",
          near.empty() ? fmt::format("there are {}", Join(names, ", "))
                       : fmt::format("did you mean --{}?", near.front())));
}

bool IsPath(const SetOption& option, const std::string& value) {
  return option.is_path || (option.is_target && IsTargetFile(value));
}

}  // namespace

SetArguments ParseSetArguments(const std::string& text, const std::filesystem::path& folder) {
  const std::vector<std::string> words = ShellWords(text);
  SetArguments arguments;
  std::set<std::string> given;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals).substr(word.starts_with("--") ? 2 : 0);
    const SetOption* option = FindSetOption(name);
    if (option == nullptr) {
      ThrowNoOption(name, word);
    }
    if (equals == std::string::npos && i + 1 == words.size()) {
      throw Error(ErrorKind::kUsage, fmt::format("expected a value after '{}'", word));
    }
    std::string value = equals == std::string::npos ? words[++i] : word.substr(equals + 1);
    if (option->row != nullptr && option->is_path) {
      CheckOptionPath(*option->row, value);  // as it is typed: the folder may have any name
    }
    if (IsPath(*option, value) && !value.empty() && std::filesystem::path(value).is_relative()) {
      value = (folder / value).string();
    }
    if (!given.insert(name).second && !option->repeats) {
      throw Error(ErrorKind::kUsage, fmt::format("the option set gives --{} twice", name));
    }
    option->set(arguments, std::move(value));
  }
  return arguments;
}

SetArguments ReadSetArguments(const std::filesystem::path& folder) {
  const std::string text = ReadSmallFile(folder / kArgumentsFile, kMostBytes);
  return WithContext([] { return std::string(kArgumentsFile); },
                     [&] { return ParseSetArguments(text, folder); });
}

}  // namespace halftone
