// What ended a search.
#pragma once

#include <cstdint>

namespace halftone {

enum class SearchEnd : std::uint8_t {
  kDone,  // all that was to be done: the space, or the trials or evaluations asked for
  kTime,  // a limit of time; or none was left to confirm all of the front
  kUser,  // stop_requested
};

}  // namespace halftone
