#include "src/precision/files/impl_mode_file.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/precision/files/config_lines.h"

namespace halftone {
namespace {

constexpr std::string_view kByTypeHeader = "[ByOpType]";
constexpr std::string_view kByNodeHeader = "[ByNodeName]";

// Fault of a "key = value" line; empty when it was entered into `section`.
std::string EnterLine(std::string_view text, std::map<std::string, ImplMode>& section) {
  const std::size_t equals = text.find('=');
  const std::string key(Trim(text.substr(0, equals)));
  const std::string_view value = Trim(text.substr(equals + 1));
  if (key.empty() || value.empty()) {
    return fmt::format("the {} is empty; the line is ignored", key.empty() ? "name" : "mode");
  }
  const std::optional<ImplMode> mode = ImplModeFromFile(value);
  if (!mode) {
    return fmt::format(
        "'{}' is not an implementation mode; the line is ignored; expected one of {}", Shown(value),
        ImplModeFileNames());
  }
  const auto [entry, is_new] = section.emplace(key, *mode);
  if (!is_new) {
    return fmt::format("'{}' is listed twice; the first, {}, counts", Shown(key),
                       NameOf(entry->second));
  }
  if (key.starts_with('#')) {
    return fmt::format("a comment starts in column 0, so '{}' is read as a name", Shown(key));
  }
  return {};
}

void AppendSection(std::string_view header, const std::map<std::string, ImplMode>& section,
                   std::string& content) {
  if (section.empty()) {
    return;
  }
  content += fmt::format("{}\n", header);
  for (const auto& [key, mode] : section) {
    if (!CanBeImplModeKey(key)) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("the op_precision_mode format cannot express the name '{}'", Shown(key)));
    }
    if (!ImplModeFromFile(NameOf(mode))) {
      throw Error(ErrorKind::kUsage, fmt::format("'{}': the op_precision_mode format has no mode "
                                                 "'{}'; leave the entry out",
                                                 key, NameOf(mode)));
    }
    content += fmt::format("{}={}\n", key, NameOf(mode));
  }
}

}  // namespace

std::optional<ImplMode> ImplModeFromFile(std::string_view name) {
  const std::optional<ImplMode> mode = ValueIn(kImplModes, name);
  return mode == ImplMode::kDefault ? std::nullopt : mode;
}

std::string ImplModeFileNames() {
  std::vector<std::string> names;
  for (const auto& row : kImplModes) {
    if (row.value != ImplMode::kDefault) {
      names.emplace_back(row.name);
    }
  }
  return Join(names, ", ");
}

ImplModeFile ParseImplModeFile(std::string_view content, std::string_view file_name) {
  ImplModeFile file;
  std::map<std::string, ImplMode>* section = &file.by_type;
  for (const ConfigLine& line : ConfigLinesOf(content)) {
    const std::string_view text = Trim(line.text);
    std::string problem;
    if (text.empty() || line.text.starts_with('#')) {
      continue;
    }
    if (text == kByTypeHeader) {
      section = &file.by_type;
    } else if (text == kByNodeHeader) {
      section = &file.by_node;
    } else if (text.find('=') != std::string_view::npos) {
      problem = EnterLine(text, *section);
    } else if (text.starts_with('[')) {
      problem = fmt::format("'{}' is neither {} nor {}; it is ignored and the section stays {}",
                            Shown(text), kByTypeHeader, kByNodeHeader,
                            section == &file.by_type ? kByTypeHeader : kByNodeHeader);
    } else {
      problem = fmt::format("expected 'name=mode', found '{}'; the line is ignored", Shown(text));
    }
    if (!problem.empty()) {
      file.warnings.push_back(fmt::format("{}:{}: {}", file_name, line.number, problem));
    }
  }
  return file;
}

bool CanBeImplModeKey(std::string_view name) {
  return SurvivesAsLine(name) && !name.starts_with('[') && name.find('=') == std::string_view::npos;
}

std::string FormatImplModeFile(const ImplModeFile& file, const std::vector<std::string>& comment) {
  std::string content;
  for (const std::string& line : comment) {
    content += "# " + line + "\n";
  }
  AppendSection(kByTypeHeader, file.by_type, content);
  AppendSection(kByNodeHeader, file.by_node, content);
  return content;
}

}  // namespace halftone
