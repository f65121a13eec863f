#include "src/precision/files/write_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"
#include "src/base/printable.h"
#include "src/base/shell_words.h"
#include "src/base/text.h"
#include "src/ir/numeric_format.h"
#include "src/precision/files/option_table.h"

namespace halftone {
namespace {

constexpr std::string_view kFusionSwitchFile = "fusion_switch.json";

std::vector<std::string> CommentOf(const PrecisionOptionRow& row,
                                   const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& argument : arguments) {
    line += (line.empty() ? "  " : " ") + ShellArgument(argument);
  }
  // A line break in a name would end the comment.
  return {fmt::format("halftone: the file of --{}. Use it with:", row.name), Printable(line)};
}

}  // namespace

std::string ObstacleToFiles(const PrecisionOptions& options) {
  // A scaled or dynamic format stands in the file of --quantization.
  const auto other = std::ranges::find_if(options.node_formats, [](const auto& of_node) {
    const std::string_view format = of_node.second;
    const auto named = NumericFormat::Named(format.substr(0, format.find(' ')));
    return !named || !named->has_scale();
  });
  if (other == options.node_formats.end()) {
    return "";
  }
  const auto& [node, format] = *other;
  return fmt::format(
      "the configuration cannot be expressed in files: no option names the number format of {} "
      "('{}': {}); the knowledge base has it",
      Counted(std::ssize(options.node_formats), "node"), node, format);
}

OptionFiles WriteOptionFiles(const PrecisionOptions& options, const std::string& fusion_switches) {
  if (const std::string obstacle = ObstacleToFiles(options); !obstacle.empty()) {
    throw Error(ErrorKind::kUnsupported, obstacle);
  }
  OptionFiles files;
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    if (const auto value = row.write(options, {})) {
      files.arguments.push_back(
          fmt::format("--{}={}", row.name, row.is_file() ? std::string(row.file_name) : *value));
    }
  }
  if (!fusion_switches.empty()) {
    files.arguments.push_back(fmt::format("--fusion_switch_file={}", kFusionSwitchFile));
    files.files.emplace(kFusionSwitchFile, fusion_switches);
  }
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    if (!row.is_file()) {
      continue;
    }
    if (auto content = row.write(options, CommentOf(row, files.arguments))) {
      files.files.emplace(row.file_name, *std::move(content));
    }
  }
  return files;
}

PrecisionOptions ReadOptionFiles(const OptionFiles& files, std::vector<std::string>* warnings) {
  PrecisionOptions options;
  std::vector<std::string> unused;
  for (const std::string& argument : files.arguments) {
    const std::size_t equals = argument.find('=');
    const auto row = std::find_if(
        AllPrecisionOptions().begin(), AllPrecisionOptions().end(), [&](const auto& option) {
          return argument.substr(0, equals) == fmt::format("--{}", option.name);
        });
    if (row == AllPrecisionOptions().end() || equals == std::string::npos) {
      throw Error(ErrorKind::kUsage, fmt::format("'{}' is not a precision option", argument));
    }
    std::string value = argument.substr(equals + 1);
    std::string where = fmt::format("--{}", row->name);
    if (row->is_file()) {
      const auto file = files.files.find(value);
      if (file == files.files.end()) {
        throw Error(ErrorKind::kUsage, fmt::format("{}: the file is missing", argument));
      }
      where = std::exchange(value, file->second);
    }
    row->read({value, where}, options, warnings == nullptr ? unused : *warnings);
  }
  return options;
}

std::vector<std::string_view> OptionFileNames() {
  std::vector<std::string_view> names = {kFusionSwitchFile};
  for (const PrecisionOptionRow& row : AllPrecisionOptions()) {
    if (row.is_file()) {
      names.push_back(row.file_name);
    }
  }
  return names;
}

}  // namespace halftone
