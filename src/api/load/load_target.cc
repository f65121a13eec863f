// Target from --soc_version, --ops_info, or an installation.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "src/api/halftone.h"
#include "src/api/load/plan_sources.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/hash.h"
#include "src/base/text.h"
#include "src/exec/destination_target.h"
#include "src/exec/host_target.h"
#include "src/precision/resolve/modes.h"
#include "src/target/builtin_targets.h"
#include "src/target/destinations.h"
#include "src/target/installation.h"
#include "src/target/ops_info_files.h"

namespace halftone {
namespace {

constexpr std::string_view kHost = "host";
constexpr const char* kOpsInfoVariable = "HALFTONE_OPS_INFO";
constexpr std::string_view kHowToLeaveOut = "--ops_info=builtin takes the built-in one";

// The file of a target and the target itself: libraries are read with the file's lists.
constexpr std::uintmax_t kMostTargetBytes = 16U << 20U;

struct NamedTarget {
  TargetFile file;
  TargetSpec spec;
};

NamedTarget OwnTarget(std::string_view path) {
  const std::string option = fmt::format("E10001: --soc_version={}", path);
  std::string text;
  TargetFile file = [&] {
    try {
      text = ReadSmallFile(path, kMostTargetBytes);
      return ParseOwnTargetFile(text, path);
    } catch (const Error& error) {
      throw Error(ErrorKind::kUsage, fmt::format("{}: {}", option, error.what()));
    }
  }();
  const std::string& mode = file.spec.training_mode;
  if (!mode.empty() && FindPrecisionMode(mode) == nullptr) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: training_mode: expected one of {}, found '{}'",
                                               option, PrecisionModeNames(), mode));
  }
  TargetSpec spec = file.ForSoc(file.spec.name);
  spec.library = fmt::format("target file {}", Hasher().Add(text).Finish().ToHex().substr(0, 12));
  return {std::move(file), std::move(spec)};
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

[[noreturn]] void ThrowUnknown(std::string_view soc_version) {
  const std::vector<std::string> names = TargetNames();
  std::map<std::string, std::string> by_lower_case;  // ATC wants the exact case, users forget it
  std::vector<std::string> lower_case;
  for (const std::string& name : names) {
    lower_case.push_back(LowerCase(name));
    by_lower_case.emplace(lower_case.back(), name);
  }
  const auto near = ClosestNames(LowerCase(soc_version), lower_case);
  throw Error(
      ErrorKind::kUsage,
      fmt::format("E10001: --soc_version has the value '{}', which is none of: {}{}; a target of "
                  "your own is the path of its .ini file",
                  soc_version, Join(names, ", "),
                  near.empty() ? "" : "; did you mean '" + by_lower_case.at(near[0]) + "'?"));
}

NamedTarget KnownTarget(std::string_view soc_version) {
  const TargetFile* file = FindSocVersion(soc_version);
  if (file == nullptr) {
    ThrowUnknown(soc_version);
  }
  return {*file, file->ForSoc(soc_version)};
}

// The target of the family that the names of op library files say; for a call without
// --soc_version.
NamedTarget TargetOfFiles(const std::vector<OpsInfoFile>& files, std::string_view ops_info) {
  const std::vector<std::string> families = FamiliesOf(files);
  const TargetFile* file = families.size() == 1 ? FindFamily(families[0]) : nullptr;
  if (file == nullptr) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format(
            "E10054: --soc_version is missing: --ops_info={} {}; add --soc_version", ops_info,
            families.empty()
                ? "has no file name that says the family (aic-<family>-ops-info.json)"
                : fmt::format("names {} {}",
                              families.size() == 1 ? "an unknown family," : "several families,",
                              Join(families, ", "))));
  }
  return {*file, file->ForSoc(families[0])};
}

void CheckFamily(const NamedTarget& target, const std::vector<OpsInfoFile>& files,
                 const TargetOptions& options) {
  const std::vector<std::string> families = FamiliesOf(files);
  if (!families.empty() &&
      std::find(families.begin(), families.end(), target.spec.family) == families.end()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("E10001: --ops_info={}: expected a library of {} (--soc_version={}), "
                            "found {}",
                            options.ops_info.string(), target.spec.family, options.soc_version,
                            Join(families, ", ")));
  }
}

}  // namespace

std::vector<std::string> TargetNames() {
  std::vector<std::string> names = SocVersions();
  names.insert(names.begin(), std::string(kHost));
  const std::vector<std::string> destinations = DestinationNames();
  names.insert(names.end(), destinations.begin(), destinations.end());
  return names;
}

FoundLibrary FindLibrary(const TargetOptions& options) {
  const std::string& soc = options.soc_version;
  const TargetFile* const file = IsTargetFile(soc) ? nullptr : FindSocVersion(soc);
  if (!options.ops_info.empty() || file == nullptr || !file->spec.has_amct) {
    return {options.ops_info, {}, {}};
  }
  if (const char* const named = std::getenv(kOpsInfoVariable); named != nullptr && *named != 0) {
    const TargetOptions taken{.soc_version = soc, .ops_info = named};
    return {named,
            taken.has_library() ? fmt::format("operator library: '{}', named by {}; {}",
                                              Shown(named), kOpsInfoVariable, kHowToLeaveOut)
                                : std::string(),
            {}};
  }
  Installation found = FindInstallation(PlacesOnThisMachine(), file->spec.family);
  if (found.opp.empty()) {
    return {{}, {}, std::move(found.problem)};
  }
  return {found.opp,
          fmt::format("operator library: that of the installation '{}', found by {}; {}",
                      Printable(found.opp.string()), found.found_by, kHowToLeaveOut),
          {}};
}

TargetSpec LoadTarget(const TargetOptions& options) {
  const std::string& soc = options.soc_version;
  if (!options.has_library()) {
    if (soc.empty() || soc == kHost) {
      return HostTarget();
    }
    if (const Destination* destination = FindDestination(soc)) {
      return DestinationTarget(*destination);
    }
    return (IsTargetFile(soc) ? OwnTarget(soc) : KnownTarget(soc)).spec;
  }
  if (const Destination* destination = FindDestination(soc);
      soc == kHost || destination != nullptr) {
    throw Error(ErrorKind::kUsage,
                fmt::format("E10001: --ops_info={}: an operator library describes an Ascend "
                            "device, --soc_version={} {}; leave one of them out",
                            options.ops_info.string(), soc,
                            destination == nullptr ? "this CPU" : destination->runtime));
  }
  const std::vector<OpsInfoFile> files = FindOpsInfoFiles(options.ops_info);
  NamedTarget target = soc.empty()         ? TargetOfFiles(files, options.ops_info.string())
                       : IsTargetFile(soc) ? OwnTarget(soc)
                                           : KnownTarget(soc);
  CheckFamily(target, files, options);
  TargetSpec spec = WithOpsInfo(std::move(target.spec), target.file, files);
  if (const std::string version = InstallationVersion(options.ops_info); !version.empty()) {
    spec.library += fmt::format(" of version {}", version);
    spec.notes.insert(spec.notes.begin(), fmt::format("operator library of version {}", version));
  }
  return spec;
}

TargetSpec LoadTarget(std::string_view soc_version) {
  return LoadTarget(TargetOptions{.soc_version = std::string(soc_version), .ops_info = {}});
}

}  // namespace halftone
