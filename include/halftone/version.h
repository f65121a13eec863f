// Version of the library.
#pragma once

#include <string>
#include <string_view>

namespace halftone {

// Returns the version of the library, such as "0.1.0"; a zero byte follows it.
std::string_view Version();

// Returns the text of `halftone --version`: version, compiler, CPU, the instruction sets of the CPU
// that kernels know, and those that kernels use. The environment variable HALFTONE_MAX_ISA limits
// the latter. Error kUsage if its value is unknown.
std::string VersionText();

}  // namespace halftone
