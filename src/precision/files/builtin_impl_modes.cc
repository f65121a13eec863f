#include "src/precision/files/builtin_impl_modes.h"

#include <map>

#include "src/base/error.h"
#include "src/precision/files/builtin_impl_mode_texts.h"
#include "src/precision/files/impl_mode_file.h"

namespace halftone {
namespace {

using ModesByFile = std::map<std::string_view, BuiltinImplModeFile, std::less<>>;

ModesByFile ReadTexts() {
  ModesByFile files;
  for (const EmbeddedText& text : BuiltinImplModeTexts()) {
    ImplModeFile file = ParseImplModeFile(text.text, text.name);
    Check(file.warnings.empty() && file.by_node.empty(), "a built-in ini is not clean");
    files.emplace(text.name, BuiltinImplModeFile(file.by_type.begin(), file.by_type.end()));
  }
  return files;
}

}  // namespace

const BuiltinImplModeFile& BuiltinFile(std::string_view name) {
  static const ModesByFile kFiles = ReadTexts();
  const auto found = kFiles.find(name);
  Check(found != kFiles.end(), "there is no such built-in ini");
  return found->second;
}

std::optional<ImplMode> BuiltinImplModeOf(BuiltinImplModes table, std::string_view ir_type) {
  const BuiltinImplModeFile& file = BuiltinFile(NameIn(kBuiltinImplModes, table));
  const auto found = file.find(ir_type);
  return found == file.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace halftone
