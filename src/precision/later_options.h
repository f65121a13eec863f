// Options of ATC and AOE that decide precision and that this release does not have: refused by
// name, never ignored, because a plan without them would not be the plan the user asked for.
#pragma once

#include <span>
#include <string_view>

namespace halftone {

struct LaterOption {
  std::string_view name;  // without dashes
  std::string_view what;  // what it does, and what to use today
};

std::span<const LaterOption> LaterOptions();

// By name, with or without the leading dashes; null for an option that is not in the table.
const LaterOption* FindLaterOption(std::string_view name);

// Error kUsage "--modify_mixlist is not supported yet; ...". `value` is quoted when it is given:
// some options are legal with other values (--soc_version=host).
[[noreturn]] void RefuseLater(std::string_view name, std::string_view value = {});

}  // namespace halftone
