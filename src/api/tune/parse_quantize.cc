// --quantize: whether operators compute in 8 bits, and for whom.
#include <fmt/format.h>

#include <algorithm>

#include "src/amct/layers.h"
#include "src/api/halftone.h"
#include "src/api/load/plan_sources.h"
#include "src/base/error.h"
#include "src/base/names_hint.h"
#include "src/base/text.h"
#include "src/target/builtin_targets.h"
#include "src/target/destinations.h"

namespace halftone {
namespace {

constexpr std::string_view kFor = "for:";

bool ComputesIn8Bits(const TargetSpec& target) {
  return IsAmctTarget(target) || std::ranges::any_of(target.formats, &NumericFormat::is_scaled);
}

// "for:cloud_ai_100": destinations first, then devices with 8 bits.
std::vector<std::string> NamesBehindFor() {
  std::vector<std::string> names = DestinationNames();
  for (const std::string& name : SocVersions()) {
    if (ComputesIn8Bits(LoadTarget(name))) {
      names.push_back(name);
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> QuantizeDestinations() {
  return DestinationNames();
}

QuantizeRequest ParseQuantize(std::string_view text, const TargetOptions& target,
                              std::string_view option) {
  QuantizeRequest request{.mode = ValueIn(kQuantizeModes, text), .target = target};
  if (text.empty() || request.mode) {
    return request;
  }
  if (!text.starts_with(kFor)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}={}: expected one of {}, or for: and a target, one of {}", option,
                            Shown(text), NamesIn(kQuantizeModes), Join(DestinationNames(), ", ")));
  }
  const std::string name(text.substr(kFor.size()));
  const std::vector<std::string> names = NamesBehindFor();
  if (std::ranges::count(names, name) == 0 && !IsTargetFile(name)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}={}: expected a runtime that reads QDQ files, one of {}, or a "
                    "device that computes in 8 bits, such as cloud_ai_100{}",
                    option, Shown(text), Join(DestinationNames(), ", "), NamesHint(name, names)));
  }
  if (!target.soc_version.empty() && target.soc_version != name) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}={} names the target {}, and --soc_version={} another; leave one of "
                            "them out",
                            option, Shown(text), Shown(name), Shown(target.soc_version)));
  }
  request.mode = QuantizeMode::kOn;
  request.target.soc_version = name;
  return request;
}

}  // namespace halftone
