#include "kernels/cpu_isa.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <vector>

// The header alone: no kernels are compiled here.
#include "hwy/targets.h"
#include "src/base/error.h"

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

// What HALFTONE_MAX_ISA may say. Highway's targets are bits, the best ones lowest.
struct IsaLimit {
  std::string_view name;
  IsaMask mask;
  std::int64_t disabled_targets;
};

constexpr std::int64_t UpTo(std::int64_t target) {
  return target | (target - 1);
}

constexpr IsaMask kAllOfAvx512 = kIsaAvx2 | kIsaAvx512;

constexpr IsaLimit kLimits[] = {
    {"baseline", kIsaAny, UpTo(HWY_AVX2)},
    {"avx2", kIsaAvx2, UpTo(HWY_AVX3)},
    {"avx512", kAllOfAvx512, UpTo(HWY_AVX3_DL)},
    {"avx512_vnni", kAllOfAvx512 | kIsaAvx512Vnni, 0},
    {"avx512_bf16", kAllOfAvx512 | kIsaAvx512Vnni | kIsaAvx512Bf16, 0},
};

const IsaLimit& LimitOf(std::string_view name) {
  const auto* found = std::find_if(std::begin(kLimits), std::end(kLimits),
                                   [&](const IsaLimit& row) { return row.name == name; });
  if (found == std::end(kLimits)) {
    std::vector<std::string_view> names;
    for (const IsaLimit& row : kLimits) {
      names.push_back(row.name);
    }
    throw Error(ErrorKind::kUsage,
                fmt::format("environment variable HALFTONE_MAX_ISA: expected one of {}, got '{}'",
                            fmt::join(names, ", "), name));
  }
  return *found;
}

IsaMask Supported() {
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

IsaMask SupportedAndAllowed() {
  const char* name = std::getenv("HALFTONE_MAX_ISA");
  const IsaLimit& limit = name == nullptr || *name == '\0' ? *std::rbegin(kLimits) : LimitOf(name);
  if (limit.disabled_targets != 0) {
    hwy::DisableTargets(limit.disabled_targets);
  }
  return Supported() & limit.mask;
}

}  // namespace

IsaMask DetectIsa() {
  static const IsaMask mask = SupportedAndAllowed();
  return mask;
}

bool HasWholeAvx512() {
#if defined(__x86_64__)
  return (DetectIsa() & kIsaAvx512) != 0 && __builtin_cpu_is("amdfam19h") == 0;
#else
  return false;
#endif
}

bool HasFreeWidening() {
#if defined(__x86_64__)
  static const bool free = HasWholeAvx512() && __builtin_cpu_is("amd") != 0;
  return free;
#else
  return false;
#endif
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
