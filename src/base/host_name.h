// Name of this machine, which tells it from others that write to the same folder.
#pragma once

#include <string>

namespace halftone {

// Name of this machine; "unknown" where the system has none.
std::string HostName();

}  // namespace halftone
