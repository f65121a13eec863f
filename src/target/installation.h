// The operator library of an Ascend installation on this machine: the folder `opp`, found as the
// compiler finds it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halftone {

// Places to look at, in this order; empty: not set. The first variable that is set decides; the
// default folders count where none is. The compiler reads ASCEND_OPP_PATH; its set_env.sh sets all
// three.
struct InstallationPlaces {
  std::string opp_path;                        // ASCEND_OPP_PATH: the folder itself
  std::string toolkit_home;                    // ASCEND_TOOLKIT_HOME: the folder above
  std::string home_path;                       // ASCEND_HOME_PATH: the folder above
  std::vector<std::filesystem::path> folders;  // above it
};

// Places by the environment and by the installer's defaults, below /usr/local and $HOME.
InstallationPlaces PlacesOnThisMachine();

struct Installation {
  std::filesystem::path opp;  // empty: none was found
  std::string found_by;       // "ASCEND_OPP_PATH", "the default folder"
  std::string problem;  // why the folder of a variable is not used, one sentence; empty: no problem
};

// Finds an installation whose library has AI Core files of `family`.
Installation FindInstallation(const InstallationPlaces& places, const std::string& family);

// "8.1.RC1": version_dir, else Version, of version.info in the folder `opp` or in `compiler` beside
// it; empty: no such line.
std::string InstallationVersion(const std::filesystem::path& opp);

}  // namespace halftone
