#include "src/api/workload.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <fstream>

#include "kernels/kernel_table.h"
#include "src/base/hash.h"
#include "src/base/text.h"
#include "src/exec/fuse_by_plan.h"

namespace halftone {

std::string_view Version() {
  return HALFTONE_VERSION;
}

std::string VersionText() {
  const std::string has = IsaName(CpuIsa());
  const std::string used = IsaName(UsedIsa());
  return fmt::format("halftone {}, {}\nCPU: {}\ninstruction sets of the CPU: {}\nused: {}{}",
                     Version(), CompilerName(), CpuName(), has, used,
                     DetectIsa() == CpuIsa() ? "" : " (HALFTONE_MAX_ISA allows no more)");
}

Workload WorkloadOf(const Model& model, const Dataset& data, std::string_view soc_version,
                    const KernelChoices& choices) {
  const KernelVersion kernels = CurrentKernels();
  return {.model_name = model.name,
          .model_hash = model.hash,
          .input_shapes = model.input_shapes,
          .data_hash = data.Hash(),
          .target = std::string(soc_version),
          .isa = kernels.isa,
          .kernel_table_hash = kernels.kernel_table_hash,
          .tool_version = kernels.tool_version,
          .threads = choices.threads(),
          .kernel_choices = choices.Digest()};
}

KernelVersion CurrentKernels() {
  return {.isa = IsaName(UsedIsa()),
          .kernel_table_hash = Hasher().Add(KernelTableHash()).Add(kLoweringVersion).Finish(),
          .tool_version = std::string(Version())};
}

std::string CpuName() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("model name")) {
      const auto colon = line.find(':');
      if (colon != std::string::npos) {
        return std::string(Trim(std::string_view(line).substr(colon + 1)));
      }
    }
  }
  return "unknown CPU";
}

std::string CompilerName() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string UtcNow() {
  const auto now =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

}  // namespace halftone
