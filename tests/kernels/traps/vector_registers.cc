#if defined(__x86_64__) && defined(__linux__)
#include "tests/kernels/traps/vector_registers.h"

#include <cpuid.h>

#include <cstring>

namespace halftone::testing {
namespace {

// State components, which are bits of XSTATE_BV and subleaves of CPUID leaf 0DH.
constexpr unsigned kSse = 1;
constexpr unsigned kAvx = 2;
constexpr unsigned kOpmask = 5;
constexpr unsigned kZmmHi256 = 6;
constexpr unsigned kHi16Zmm = 7;

constexpr std::size_t kXmmOffset = 160;       // in the legacy region
constexpr std::size_t kXstateBvOffset = 512;  // in the XSAVE header
constexpr int kLowRegisters = 16;

std::size_t OffsetOf(unsigned component) {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  __get_cpuid_count(0xd, component, &eax, &ebx, &ecx, &edx);
  return ebx;
}

struct Layout {
  std::size_t upper_ymm = OffsetOf(kAvx);       // 16 bytes each
  std::size_t upper_zmm = OffsetOf(kZmmHi256);  // 32 bytes each
  std::size_t high_zmm = OffsetOf(kHi16Zmm);    // zmm16 to zmm31, 64 bytes each
};

// Bytes [begin, begin + size) of a register, `offset` bytes from the begin of the area.
struct Piece {
  unsigned component;
  std::size_t offset;
  std::size_t begin;
  std::size_t size;
};

// The pieces of a register; one of size 0 where there are fewer than three.
std::array<Piece, 3> PiecesOf(int number) {
  static const Layout kLayout;
  const auto n = static_cast<std::size_t>(number);
  if (number >= kLowRegisters) {
    return {{{kHi16Zmm, kLayout.high_zmm + (n - kLowRegisters) * 64, 0, 64}, {}, {}}};
  }
  return {{{kSse, kXmmOffset + n * 16, 0, 16},
           {kAvx, kLayout.upper_ymm + n * 16, 16, 16},
           {kZmmHi256, kLayout.upper_zmm + n * 32, 32, 32}}};
}

std::byte* AreaOf(const ucontext_t& context) {
  return reinterpret_cast<std::byte*>(context.uc_mcontext.fpregs);
}

// State components in use: one whose bit is clear has its initial state, zero, whatever its bytes
// are.
std::uint64_t ComponentsInUse(const ucontext_t& context) {
  std::uint64_t in_use = 0;
  std::memcpy(&in_use, AreaOf(context) + kXstateBvOffset, sizeof in_use);
  return in_use;
}

}  // namespace

ZmmRegister ReadZmm(const ucontext_t& context, int number) {
  const std::byte* area = AreaOf(context);
  const std::uint64_t in_use = ComponentsInUse(context);
  ZmmRegister value = {};
  for (const Piece& piece : PiecesOf(number)) {
    if ((in_use >> piece.component & 1) != 0) {
      std::memcpy(reinterpret_cast<std::byte*>(value.data()) + piece.begin, area + piece.offset,
                  piece.size);
    }
  }
  return value;
}

std::uint64_t ReadMask(const ucontext_t& context, int number) {
  static const std::size_t kOffset = OffsetOf(kOpmask);  // 8 bytes each
  std::uint64_t mask = 0;
  if ((ComponentsInUse(context) >> kOpmask & 1) != 0) {
    std::memcpy(&mask, AreaOf(context) + kOffset + static_cast<std::size_t>(number) * sizeof mask,
                sizeof mask);
  }
  return mask;
}

// Registers of a component that was in its initial state become zero with it.
void WriteZmm(ucontext_t& context, int number, const ZmmRegister& value) {
  static const Layout kLayout;
  std::byte* area = AreaOf(context);
  std::uint64_t in_use = ComponentsInUse(context);
  const auto begin_use = [&](unsigned component, std::size_t offset, std::size_t bytes) {
    if ((in_use >> component & 1) == 0) {
      std::memset(area + offset, 0, bytes);
      in_use |= std::uint64_t{1} << component;
    }
  };
  if (number >= kLowRegisters) {
    begin_use(kHi16Zmm, kLayout.high_zmm, 16 * 64);
  } else {
    begin_use(kSse, kXmmOffset, 16 * 16);
    begin_use(kAvx, kLayout.upper_ymm, 16 * 16);
    begin_use(kZmmHi256, kLayout.upper_zmm, 16 * 32);
  }
  std::memcpy(area + kXstateBvOffset, &in_use, sizeof in_use);
  for (const Piece& piece : PiecesOf(number)) {
    std::memcpy(area + piece.offset, reinterpret_cast<const std::byte*>(value.data()) + piece.begin,
                piece.size);
  }
}

}  // namespace halftone::testing
#endif
