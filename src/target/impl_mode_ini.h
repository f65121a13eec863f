// Ini files in the folder impl_mode of an installation: default implementation modes of operators,
// and the modes that each operator offers.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/target/ops_info.h"

namespace halftone {

// The name of an impl_mode file, "high_performance" of ".../impl_mode/high_performance.ini"; empty
// for names that no installation has.
std::string_view ImplModeFileName(std::string_view file);

// Name of the file that lists the modes that operators offer.
inline constexpr std::string_view kAllImplModes = "all_ops_impl_mode";

// Parses lines "<IR type>=<mode>,<mode>,..."; comments begin with '#', a type counts once, other
// lines are skipped. Unknown modes are dropped and noted in one sentence.
using OfferedModes = std::map<std::string, std::vector<ImplMode>, std::less<>>;
OfferedModes ParseImplModeIni(std::string_view text, std::string_view where,
                              std::vector<std::string>& notes);

// Restricts the modes of every type in the library to those of all_ops_impl_mode.ini: a type that
// it does not list has one implementation. For each float type the built-in default stays first
// where it is offered; float32 execution and HF32 are modes of float32, keep_fp16 is one of
// float16.
void OfferOnly(const OfferedModes& offered, AiCoreLibrary& library);

}  // namespace halftone
