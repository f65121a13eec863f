#include "kernels/gemm/activation_range.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/ir/graph.h"

namespace halftone {

ActivationRange ActivationRangeOf(const Attributes& attributes) {
  const std::string name = attributes.Text(kActivation, "");
  ActivationRange range;
  if (name.empty()) {
    return range;
  }
  if (name == "Relu") {
    range.low = 0.0F;
    return range;
  }
  if (name == "Clip") {
    range.low = attributes.Float(kActivationMin, range.low);
    range.high = attributes.Float(kActivationMax, range.high);
    return range;
  }
  throw Error(ErrorKind::kUnsupported,
              fmt::format("attribute '{}': expected Relu or Clip, got '{}'", kActivation, name));
}

}  // namespace halftone
