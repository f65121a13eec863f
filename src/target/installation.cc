#include "src/target/installation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/target/ops_info_files.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostVersionBytes = 64U << 10U;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Below a folder of installations (Toolkit packages from 8.5 on, those before, the run-time
// package).
constexpr std::string_view kDefaultFolders[] = {"cann", "ascend-toolkit/latest", "nnae/latest"};

bool IsFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// Why the folder is not taken; empty: it has a library of the family.
std::string ProblemOf(const fs::path& opp, const std::string& family) {
  if (!IsFolder(opp)) {
    return "there is no such folder";
  }
  try {
    const std::vector<std::string> families = FamiliesOf(FindOpsInfoFiles(opp));
    const bool has = std::ranges::find(families, family) != families.end();
    return has ? "" : fmt::format("no aic-{}-ops-info.json is below it", family);
  } catch (const Error&) {
    return "no operator library is below it";
  }
}

std::string ValueOfLine(std::string_view text, std::string_view key) {
  for (const std::string_view line : Split(text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos && Trim(line.substr(0, equals)) == key) {
      return std::string(Trim(line.substr(equals + 1)));
    }
  }
  return {};
}

// The version in the text of a version.info; empty: it has none.
std::string VersionIn(std::string_view text) {
  const std::string folder = ValueOfLine(text, "version_dir");
  return folder.empty() ? ValueOfLine(text, "Version") : folder;
}

}  // namespace

InstallationPlaces PlacesOnThisMachine() {
  InstallationPlaces places{.opp_path = Variable("ASCEND_OPP_PATH"),
                            .toolkit_home = Variable("ASCEND_TOOLKIT_HOME"),
                            .home_path = Variable("ASCEND_HOME_PATH"),
                            .folders = {}};
  for (const std::string& above : {std::string("/usr/local"), Variable("HOME")}) {
    for (const std::string_view folder : kDefaultFolders) {
      if (!above.empty()) {
        places.folders.push_back(fs::path(above) / "Ascend" / folder);
      }
    }
  }
  return places;
}

Installation FindInstallation(const InstallationPlaces& places, const std::string& family) {
  struct Named {
    std::string_view variable;
    fs::path opp;
  };

  std::vector<Named> named;
  if (!places.opp_path.empty()) {
    named.push_back({"ASCEND_OPP_PATH", places.opp_path});
  }
  if (!places.toolkit_home.empty()) {
    named.push_back({"ASCEND_TOOLKIT_HOME", fs::path(places.toolkit_home) / "opp"});
  }
  if (!places.home_path.empty()) {
    named.push_back({"ASCEND_HOME_PATH", fs::path(places.home_path) / "opp"});
  }
  if (!named.empty()) {
    const auto& [variable, opp] = named.front();
    const std::string problem = ProblemOf(opp, family);
    if (problem.empty()) {
      return {.opp = opp, .found_by = std::string(variable), .problem = {}};
    }
    return {.opp = {},
            .found_by = {},
            .problem = fmt::format("{} names the folder '{}', but {}: the built-in operator "
                                   "library counts; set the variable to the folder of an "
                                   "installation, or give --ops_info=builtin",
                                   variable, Printable(opp.string()), problem)};
  }
  const auto found = std::ranges::find_if(places.folders, [&](const fs::path& folder) {
    return IsFolder(folder / "opp") && ProblemOf(folder / "opp", family).empty();
  });
  return found == places.folders.end()
             ? Installation()
             : Installation{.opp = *found / "opp", .found_by = "the default folder", .problem = {}};
}

std::string InstallationVersion(const fs::path& opp) {
  for (const fs::path& file : {opp / "version.info", opp / "../compiler/version.info"}) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) {
      continue;
    }
    try {
      const std::string version = VersionIn(ReadSmallFile(file, kMostVersionBytes));
      if (!version.empty()) {
        return Shown(version);
      }
    } catch (const Error&) {  // a library without a version that can be read has none
    }
  }
  return {};
}

}  // namespace halftone
