// Kinds of operators, one enumerator for each row of op_rows.h.
#pragma once

#include <cstdint>

#include "src/ir/op_rows.h"

namespace halftone {

#define HALFTONE_ENUMERATOR(kind, ...) kind,
enum class OpKind : std::uint8_t { HALFTONE_OPERATORS(HALFTONE_ENUMERATOR) };
#undef HALFTONE_ENUMERATOR

}  // namespace halftone
