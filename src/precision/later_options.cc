#include "src/precision/later_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr LaterOption kLater[] = {
    {"soc_version", "this release resolves for the CPU it runs on; use --soc_version=host"},
};

}  // namespace

std::span<const LaterOption> LaterOptions() {
  return kLater;
}

const LaterOption* FindLaterOption(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  for (const LaterOption& option : kLater) {
    if (option.name == name) {
      return &option;
    }
  }
  return nullptr;
}

void RefuseLater(std::string_view name, std::string_view value) {
  const LaterOption* option = FindLaterOption(name);
  Check(option != nullptr, fmt::format("'{}' is not in the table of later options", name));
  throw Error(ErrorKind::kUsage, fmt::format("--{}{}{} is not supported yet; {}", option->name,
                                             value.empty() ? "" : "=", value, option->what));
}

}  // namespace halftone
