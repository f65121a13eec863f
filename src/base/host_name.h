// Name of this machine, which tells it from others that write to the same folder.
#pragma once

#include <string>

namespace halftone {

// As the system has it; "unknown" where it has none.
std::string HostName();

}  // namespace halftone
