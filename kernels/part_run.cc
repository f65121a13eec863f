#include "kernels/part_run.h"

#include "kernels/binary/binary.h"
#include "kernels/cast/cast.h"
#include "kernels/unary/unary.h"

namespace halftone {

PartRun FindPartRun(const KernelEntry& entry) {
  for (const auto find : {UnaryPartRun, BinaryPartRun, CastPartRun}) {
    if (const PartRun run = find(entry); run != nullptr) {
      return run;
    }
  }
  return nullptr;
}

}  // namespace halftone
