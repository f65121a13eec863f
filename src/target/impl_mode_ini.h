// The ini files of an installation's folder impl_mode: which implementation mode operators get by
// default, and which modes each of them offers.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/target/ops_info.h"

namespace halftone {

// "high_performance" of ".../impl_mode/high_performance.ini"; empty for names that no installation
// has.
std::string_view ImplModeFileName(std::string_view file);

// The one that lists the modes that operators offer.
inline constexpr std::string_view kAllImplModes = "all_ops_impl_mode";

// Lines "<IR type>=<mode>,<mode>,..."; comments begin with '#', a type counts once, what is no such
// line is skipped. Modes that are not known are left out and noted in one sentence.
using OfferedModes = std::map<std::string, std::vector<ImplMode>, std::less<>>;
OfferedModes ParseImplModeIni(std::string_view text, std::string_view where,
                              std::vector<std::string>& notes);

// all_ops_impl_mode.ini decides what every type of the library offers: a type that it does not list
// has one implementation. For each float type the built-in default stays the first where it is
// offered; float32 execution and HF32 are modes of float32, keep_fp16 is one of float16.
void OfferOnly(const OfferedModes& offered, AiCoreLibrary& library);

}  // namespace halftone
