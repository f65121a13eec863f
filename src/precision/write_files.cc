#include "src/precision/write_files.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/precision/impl_mode_file.h"
#include "src/precision/keep_dtype.h"

namespace halftone {
namespace {

constexpr std::string_view kPrecisionMode = "--precision_mode=";
constexpr std::string_view kPrecisionModeV2 = "--precision_mode_v2=";
constexpr std::string_view kKeepDtype = "--keep_dtype=";
constexpr std::string_view kOpPrecisionMode = "--op_precision_mode=";
constexpr std::string_view kOpSelect = "--op_select_implmode=";
constexpr std::string_view kOpTypeList = "--optypelist_for_implmode=";

// Values of arguments are words: they stand in a comment line and in a shell command.
void AddArgument(std::string_view option, std::string_view value, OptionFiles& files) {
  if (value.empty()) {
    return;
  }
  if (value.find_first_of(" \t\r\n'\"") != std::string_view::npos) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: expected a word, found '{}'", option, value));
  }
  files.arguments.push_back(std::string(option).append(value));
}

std::string TypeList(const std::vector<std::string>& types) {
  for (const std::string& type : types) {
    if (type.empty() || type.find(',') != std::string::npos) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: expected operator types, found '{}'", kOpTypeList, type));
    }
  }
  return Join(types, ",");
}

std::vector<std::string> CommentOf(std::string_view content, const OptionFiles& files) {
  return {fmt::format("halftone: {}. Use it with:", content), "  " + Join(files.arguments, " ")};
}

// The rest of `argument` when it begins with `option`.
std::optional<std::string_view> ValueOf(std::string_view argument, std::string_view option) {
  if (!argument.starts_with(option)) {
    return std::nullopt;
  }
  return argument.substr(option.size());
}

const std::string& ContentOf(const std::optional<std::string>& content, std::string_view argument) {
  if (!content) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: the file is missing", argument));
  }
  return *content;
}

void ReadArgument(std::string_view argument, const OptionFiles& files, PrecisionOptions& options,
                  std::vector<std::string>* warnings) {
  if (const auto mode = ValueOf(argument, kPrecisionMode)) {
    options.precision_mode = *mode;
  } else if (const auto mode_v2 = ValueOf(argument, kPrecisionModeV2)) {
    options.precision_mode_v2 = *mode_v2;
  } else if (const auto keep_file = ValueOf(argument, kKeepDtype)) {
    options.keep_dtype = ParseKeepDtype(ContentOf(files.keep_dtype_cfg, argument), *keep_file);
  } else if (const auto ini = ValueOf(argument, kOpPrecisionMode)) {
    ImplModeFile file = ParseImplModeFile(ContentOf(files.op_precision_ini, argument), *ini);
    options.op_precision_given = true;
    options.impl_mode_by_type = std::move(file.by_type);
    options.impl_mode_by_node = std::move(file.by_node);
    if (warnings != nullptr) {
      warnings->insert(warnings->end(), file.warnings.begin(), file.warnings.end());
    }
  } else if (const auto select = ValueOf(argument, kOpSelect)) {
    options.op_select_implmode = *select;
  } else if (const auto types = ValueOf(argument, kOpTypeList)) {
    for (const std::string_view type : Split(*types, ',')) {
      options.optypelist_for_implmode.emplace_back(type);
    }
  } else {
    throw Error(ErrorKind::kUsage, fmt::format("'{}' is not a precision option", argument));
  }
}

}  // namespace

OptionFiles WriteOptionFiles(const PrecisionOptions& options) {
  OptionFiles files;
  AddArgument(kPrecisionMode, options.precision_mode, files);
  AddArgument(kPrecisionModeV2, options.precision_mode_v2, files);
  const bool has_ini = options.op_precision_given || !options.impl_mode_by_node.empty() ||
                       !options.impl_mode_by_type.empty();
  if (!options.keep_dtype.empty()) {
    AddArgument(kKeepDtype, kKeepDtypeFileName, files);
  }
  if (has_ini) {
    AddArgument(kOpPrecisionMode, kOpPrecisionFileName, files);
  }
  AddArgument(kOpSelect, options.op_select_implmode, files);
  AddArgument(kOpTypeList, TypeList(options.optypelist_for_implmode), files);

  if (!options.keep_dtype.empty()) {
    files.keep_dtype_cfg = FormatKeepDtype(
        options.keep_dtype, CommentOf("nodes that keep their original dtype", files));
  }
  if (has_ini) {
    files.op_precision_ini =
        FormatImplModeFile({.by_type = options.impl_mode_by_type,
                            .by_node = options.impl_mode_by_node,
                            .warnings = {}},
                           CommentOf("implementation modes of operators", files));
  }
  return files;
}

PrecisionOptions ReadOptionFiles(const OptionFiles& files, std::vector<std::string>* warnings) {
  PrecisionOptions options;
  for (const std::string& argument : files.arguments) {
    ReadArgument(argument, files, options, warnings);
  }
  return options;
}

}  // namespace halftone
