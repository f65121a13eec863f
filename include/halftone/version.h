// Version of the library.
#pragma once

#include <string>
#include <string_view>

namespace halftone {

// "0.1.0"
std::string_view Version();

// Text of `halftone --version`: the version, the CPU, its instruction sets that kernels know, and
// which of them are used. Error kUsage for an unknown HALFTONE_MAX_ISA.
std::string VersionText();

}  // namespace halftone
