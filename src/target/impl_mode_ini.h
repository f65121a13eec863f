// Ini files in the folder impl_mode of an Ascend installation. They give default implementation
// modes of operators, and the modes that each operator offers.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/target/ops_info.h"

namespace halftone {

// Returns the name of a file without its ending, "high_performance" of "high_performance.ini".
// Empty: no installation has such a file in impl_mode.
std::string_view ImplModeFileName(std::string_view file);

// Name, without ending, of the file that lists the modes that operators offer.
inline constexpr std::string_view kAllImplModes = "all_ops_impl_mode";

// Implementation modes by IR type; the modes of a type are in the order of the file.
using OfferedModes = std::map<std::string, std::vector<ImplMode>, std::less<>>;

// Parses lines "<IR type>=<mode>,<mode>,...". Lines that begin with '#' and lines without '=' are
// skipped. The first line of a type counts. Unknown modes are left out; one sentence about them is
// added to `notes`. `where`: name of the file.
OfferedModes ParseImplModeIni(std::string_view text, std::string_view where,
                              std::vector<std::string>& notes);

// Sets the implementation modes of every type in `library` to those of `offered`, the content of
// all_ops_impl_mode.ini. A type that is not listed has one implementation. For each float dtype,
// the built-in order stays as far as modes are offered, so the built-in default stays first.
// Float32 execution and HF32 are modes of float32 only, keep_fp16 of float16 only.
void OfferOnly(const OfferedModes& offered, AiCoreLibrary& library);

}  // namespace halftone
