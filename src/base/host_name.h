// Name of this machine, for folders to which several machines write.
#pragma once

#include <string>

namespace halftone {

// Returns the host name; "unknown" if the system gives none.
std::string HostName();

}  // namespace halftone
