#include "kernels/cpu_isa.h"

namespace halftone {
namespace {

struct IsaRow {
  IsaMask bit;
  const char* name;
};

constexpr IsaRow kIsaNames[] = {{kIsaAvx2, "avx2"},
                                {kIsaAvx512, "avx512"},
                                {kIsaAvx512Bf16, "avx512_bf16"},
                                {kIsaAvx512Vnni, "avx512_vnni"}};

}  // namespace

IsaMask DetectIsa() {
  IsaMask mask = kIsaAny;
#if defined(__x86_64__)
  // __builtin_cpu_supports also asks the operating system (XGETBV).
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    mask |= kIsaAvx2;
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    mask |= kIsaAvx512;
    if (__builtin_cpu_supports("avx512bf16")) {
      mask |= kIsaAvx512Bf16;
    }
    if (__builtin_cpu_supports("avx512vnni")) {
      mask |= kIsaAvx512Vnni;
    }
  }
#endif
  return mask;
}

std::string IsaName(IsaMask mask) {
  std::string name;
  for (const IsaRow& row : kIsaNames) {
    if ((mask & row.bit) != 0) {
      name += (name.empty() ? "" : "+");
      name += row.name;
    }
  }
  return name.empty() ? "baseline" : name;
}

}  // namespace halftone
