// Search for the operator library of an Ascend installation on this machine. The library is the
// folder `opp`; it is found as the compiler finds it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halftone {

// Places to look at, in this order. The first of the three variables that is set decides; the
// default folders count if none is set. The compiler itself reads ASCEND_OPP_PATH; set_env.sh of
// the installation sets all three.
struct InstallationPlaces {
  std::string opp_path;                        // ASCEND_OPP_PATH: the folder opp; empty: not set
  std::string toolkit_home;                    // ASCEND_TOOLKIT_HOME: the folder that holds opp
  std::string home_path;                       // ASCEND_HOME_PATH: the folder that holds opp
  std::vector<std::filesystem::path> folders;  // default folders that may hold opp
};

// Returns the places that the environment and the defaults of the installer give; the latter are
// below /usr/local and $HOME.
InstallationPlaces PlacesOnThisMachine();

struct Installation {
  std::filesystem::path opp;  // empty: none was found
  std::string found_by;       // variable, such as "ASCEND_OPP_PATH", or "the default folder"
  // One sentence that says why the folder of a variable is not used; empty: no problem.
  std::string problem;
};

// Finds an installation with AI Core files of `family` in its library.
Installation FindInstallation(const InstallationPlaces& places, const std::string& family);

// Returns the version of an installation, such as "8.1.RC1": the value of version_dir, or else of
// Version, in version.info of the folder `opp`, or else of the folder `compiler` beside it. Empty:
// unknown.
std::string InstallationVersion(const std::filesystem::path& opp);

}  // namespace halftone
