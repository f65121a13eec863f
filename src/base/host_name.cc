#include "src/base/host_name.h"

#include <unistd.h>

namespace halftone {

std::string HostName() {
  char name[256] = {};  // HOST_NAME_MAX is 64; the last byte ends a name that is cut
  return ::gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown";
}

}  // namespace halftone
