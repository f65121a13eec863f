#include "src/export/script_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"

namespace halftone {

std::string ScriptText(std::string_view name) {
  const std::span<const EmbeddedText> files = ScriptFiles();
  const auto found = std::ranges::find(files, name, &EmbeddedText::name);
  if (found == files.end()) {
    throw Error(ErrorKind::kInternal, fmt::format("no script {}", name));
  }
  return std::string(found->text);
}

}  // namespace halftone
