#include "src/target/target_fusions.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/target/ini_file.h"

namespace halftone {
namespace {

std::set<std::string, std::less<>> TypesOf(std::string_view text) {
  std::set<std::string, std::less<>> types;
  for (const std::string_view word : Split(text, ' ')) {
    if (!Trim(word).empty()) {
      types.emplace(Trim(word));
    }
  }
  return types;
}

}  // namespace

bool SameFusions(const SharedFusions& a, const SharedFusions& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

TargetFusion ParseTargetFusion(std::string_view pass, std::string_view value) {
  const std::size_t semicolon = value.find(';');
  const std::string_view parts = value.substr(0, semicolon);
  const std::size_t plus = parts.find('+');
  TargetFusion fusion{.pass = std::string(pass), .main = {}, .others = {}, .source = {}};
  if (semicolon != std::string_view::npos && plus != std::string_view::npos) {
    fusion.main = TypesOf(parts.substr(0, plus));
    fusion.others = TypesOf(parts.substr(plus + 1));
    fusion.source = Trim(value.substr(semicolon + 1));
  }
  if (fusion.main.empty() || fusion.others.empty() || fusion.source.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("expected 'types of the main part + types of the others; source', "
                            "found {}",
                            Quoted(value)));
  }
  return fusion;
}

}  // namespace halftone
