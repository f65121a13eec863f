#include <fmt/format.h>

#include "src/ir/shape_rules.h"

namespace halftone {

RunTimeOperand::RunTimeOperand(std::size_t input, std::string_view name)
    : Error(ErrorKind::kUnsupported,
            fmt::format("input '{}' is computed at run time, and a shape depends on it: give a "
                        "sample with --inputs, which says what it is",
                        name)),
      input_(input) {}

}  // namespace halftone
