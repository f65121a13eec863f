#include "src/python/gil.h"

#include <unistd.h>

namespace halftone {

void WaitForEndOfProcess() {
  while (true) {
    ::pause();
  }
}

}  // namespace halftone
