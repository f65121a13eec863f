// End of work that the user stopped before it had a result; exit code 130.
#pragma once

#include <string_view>

#include "src/base/error.h"

namespace halftone {

class StoppedByUser : public Error {
 public:
  explicit StoppedByUser(std::string_view what) : Error(ErrorKind::kUnsupported, what) {}
};

}  // namespace halftone
