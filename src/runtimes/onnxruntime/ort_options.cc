#include "src/runtimes/onnxruntime/ort_options.h"

#include <fmt/format.h>

#include <cstdlib>
#include <span>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

constexpr std::string_view kDefaultLibrary = "libonnxruntime.so.1";
constexpr std::string_view kProviderKey = "provider=";
constexpr std::string_view kConfigKey = "config=";

}  // namespace

OrtOptions ParseOrtOptions(std::string_view text) {
  OrtOptions options;
  const std::vector<std::string_view> parts = Split(text, ',');
  options.library = std::string(Trim(parts.front()));
  if (options.library.empty()) {
    const char* const named = std::getenv("HALFTONE_ORT");
    options.library = named != nullptr && *named != '\0' ? named : std::string(kDefaultLibrary);
  }
  for (const std::string_view part : std::span(parts).subspan(1)) {
    if (part.starts_with(kProviderKey)) {
      options.providers.push_back(ParseOrtProvider(part.substr(kProviderKey.size())));
      continue;
    }
    const std::string_view entry =
        part.starts_with(kConfigKey) ? part.substr(kConfigKey.size()) : std::string_view();
    const auto equals = entry.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--measure=ort: expected provider=NAME or config=KEY=VALUE behind "
                              "the library, found {}",
                              Shown(part)));
    }
    options.config.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return options;
}

}  // namespace halftone
