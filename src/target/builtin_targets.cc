#include "src/target/builtin_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/base/error.h"
#include "src/target/builtin_specs.h"

namespace halftone {
namespace {

struct Family {
  std::string_view name;
  TargetFile file;
};

std::optional<std::string_view> TextOf(std::string_view name) {
  for (const EmbeddedText& spec : BuiltinSpecs()) {
    if (spec.name == name) {
      return spec.text;
    }
  }
  return std::nullopt;
}

// Parsed once; files without SoC versions are only inherited from.
const std::vector<Family>& Families() {
  static const std::vector<Family> kFamilies = [] {
    std::vector<Family> parsed;
    for (const EmbeddedText& spec : BuiltinSpecs()) {
      TargetFile file = ParseTargetFile(spec.text, fmt::format("{}.ini", spec.name), TextOf);
      if (!file.soc_versions.empty()) {
        parsed.push_back({spec.name, std::move(file)});
      }
    }
    return parsed;
  }();
  return kFamilies;
}

}  // namespace

std::vector<std::string_view> TargetFamilies() {
  std::vector<std::string_view> names;
  for (const Family& family : Families()) {
    names.push_back(family.name);
  }
  return names;
}

std::vector<std::string> SocVersions() {
  std::vector<std::string> names;
  for (const Family& family : Families()) {
    names.insert(names.end(), family.file.soc_versions.begin(), family.file.soc_versions.end());
  }
  return names;
}

const TargetFile* FindFamily(std::string_view name) {
  for (const Family& family : Families()) {
    if (family.name == name) {
      return &family.file;
    }
  }
  return nullptr;
}

const TargetFile* FindSocVersion(std::string_view soc_version) {
  for (const Family& family : Families()) {
    const auto& names = family.file.soc_versions;
    if (std::find(names.begin(), names.end(), soc_version) != names.end()) {
      return &family.file;
    }
  }
  return nullptr;
}

TargetFile ParseOwnTargetFile(std::string_view text, std::string_view path) {
  TargetFile file = ParseTargetFile(text, path, TextOf);
  if (file.spec.name.empty() || file.spec.name == "host" ||
      FindSocVersion(file.spec.name) != nullptr) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: expected [target] name, a name that no built-in target has, found "
                            "'{}'; reports and the knowledge base use it",
                            path, file.spec.name));
  }
  if (!file.soc_versions.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: soc_versions are for built-in targets; a target of your own is "
                            "chosen by its file",
                            path));
  }
  if (file.spec.family.empty()) {
    file.spec.family = file.spec.name;
  }
  if (file.spec.family == "host") {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: family = host means this CPU; name another", path));
  }
  return file;
}

}  // namespace halftone
