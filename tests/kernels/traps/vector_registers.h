// Vector registers of an interrupted thread: the XSAVE area of its signal frame, in the standard
// format. Source: Intel SDM volume 1, chapter 13; Linux, arch/x86/include/uapi/asm/sigcontext.h.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstdint>

namespace halftone::testing {

using ZmmRegister = std::array<std::uint16_t, 32>;

// Requires AVX-512. `number`: 0 to 31.
ZmmRegister ReadZmm(const ucontext_t& context, int number);
void WriteZmm(ucontext_t& context, int number, const ZmmRegister& value);

// Register k0 to k7. Requires AVX-512.
std::uint64_t ReadMask(const ucontext_t& context, int number);

}  // namespace halftone::testing
