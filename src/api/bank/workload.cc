#include "src/api/bank/workload.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <map>
#include <string_view>

#include "kernels/kernel_digest.h"
#include "src/base/hash.h"
#include "src/base/text.h"
#include "src/exec/fuse_by_plan.h"
#include "src/exec/operator_signature.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

// Separators of CPU, runtime and operator library in Workload::cpu.
constexpr std::string_view kBeforeRuntime = "; ";
constexpr std::string_view kBeforeLibrary = "; operators of ";

constexpr std::string_view kOperatorsOfNetwork = "; operators ";

std::string ReadCpuName() {
  std::map<std::string, std::string, std::less<>> facts;  // of the first core
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && !line.empty()) {
    if (const auto colon = line.find(':'); colon != std::string::npos) {
      const std::string_view text = line;
      facts.emplace(Trim(text.substr(0, colon)), Trim(text.substr(colon + 1)));
    }
  }
  if (!facts.contains("model name")) {
    return "unknown CPU";
  }
  return fmt::format("{} ({} {}.{})", facts["model name"], facts["vendor_id"], facts["cpu family"],
                     facts["model"]);
}

// "\nnot amx_bf16+amx_int8: the operating system ...": a line for each reason.
std::string RefusedSets() {
  std::map<std::string_view, IsaMask> refused;
  for (const InstructionSet& set : InstructionSets()) {
    if (const std::string_view why = RefusalOfSystem(set.bit); !why.empty()) {
      refused[why] |= set.bit;
    }
  }
  std::string lines;
  for (const auto& [why, sets] : refused) {
    lines += fmt::format("\nnot {}: {}", IsaName(sets), why);
  }
  return lines;
}

}  // namespace

std::string_view Version() {
  return HALFTONE_VERSION;
}

std::string VersionText() {
  const std::string has = IsaName(CpuIsa());
  const std::string used = IsaName(UsedIsa());
  return fmt::format("halftone {}, {}\nCPU: {}\ninstruction sets of the CPU: {}{}\nused: {}{}",
                     Version(), CompilerName(), CpuName(), has, RefusedSets(), used,
                     DetectIsa() == CpuIsa() ? "" : " (HALFTONE_MAX_ISA allows no more)");
}

Workload WorkloadOf(const Model& model, const Dataset& data, std::string_view soc_version,
                    const KernelChoices& choices) {
  const std::set<OpKind> ops = OperatorsOf(model.graph);
  const KernelVersion kernels = CurrentKernels(ops);
  return {.model_name = model.name,
          .operators = OperatorNames(ops),
          .model_hash = model.hash,
          .input_shapes = model.input_shapes,
          .data_hash = data.Hash(),
          .target = std::string(soc_version),
          .isa = kernels.isa,
          .kernel_table_hash = kernels.kernel_table_hash,
          .tool_version = kernels.tool_version,
          .threads = choices.threads(),
          .kernel_choices = choices.Digest(),
          .cpu = kernels.cpu};
}

KernelVersion CurrentKernels(const std::set<OpKind>& ops) {
  return {.isa = IsaName(UsedIsa()),
          .kernel_table_hash = Hasher().Add(DigestOfKernels(ops)).Add(kLoweringVersion).Finish(),
          .tool_version = std::string(Version()),
          .cpu = CpuName()};
}

KernelVersion KernelsTimed(std::string_view signature) {
  if (const std::optional<OpKind> op = OperatorOf(signature)) {
    return CurrentKernels({*op});
  }
  const std::size_t begin = signature.find(kOperatorsOfNetwork);
  if (begin == std::string_view::npos) {
    return {};
  }
  const std::string_view names = signature.substr(begin + kOperatorsOfNetwork.size());
  return CurrentKernels(OperatorsNamed(names.substr(0, names.find(';'))));
}

std::string NetworkSignature(std::string_view description, const std::set<OpKind>& ops,
                             int threads) {
  return fmt::format("{}{}{}{}; {}", kNetworkSignature, description, kOperatorsOfNetwork,
                     OperatorNames(ops), Counted(threads, "thread"));
}

bool IsCurrent(const Workload& workload) {
  const KernelVersion now = CurrentKernels(OperatorsNamed(workload.operators));
  return !workload.operators.empty() && workload.isa == now.isa &&
         workload.kernel_table_hash == now.kernel_table_hash &&
         workload.tool_version == now.tool_version && !workload.cpu.empty() &&
         MayBeOfThisCpu(workload.cpu);
}

bool IsCurrent(const KernelVersion& kernels, std::string_view signature) {
  return kernels == KernelsTimed(signature);
}

std::string OperatorNames(const std::set<OpKind>& ops) {
  std::vector<std::string> names;
  names.reserve(ops.size());
  for (const OpKind op : ops) {
    names.emplace_back(InfoOf(op).name);
  }
  return Join(names, ",");
}

std::set<OpKind> OperatorsNamed(std::string_view names) {
  std::set<OpKind> ops;
  for (const std::string_view name : Split(names, ',')) {
    if (const OpInfo* info = FindOp(name)) {
      ops.insert(info->kind);
    }
  }
  return ops;
}

std::string CpuName() {
  static const std::string kName = ReadCpuName();
  return kName;
}

std::string CpuWithRuntime(std::string_view runtime) {
  return fmt::format("{}{}{}", CpuName(), kBeforeRuntime, runtime);
}

bool IsOnRuntime(std::string_view cpu) {
  return !cpu.starts_with(kPredictedCpu) && cpu.find(kBeforeRuntime) != std::string_view::npos;
}

std::string CpuWithLibrary(std::string cpu, std::string_view library) {
  return library.empty() ? cpu : fmt::format("{}{}{}", cpu, kBeforeLibrary, library);
}

std::string_view LibraryOf(std::string_view cpu) {
  const std::size_t at = cpu.rfind(kBeforeLibrary);
  return at == std::string_view::npos ? "" : cpu.substr(at + kBeforeLibrary.size());
}

std::string_view MachineOf(std::string_view cpu) {
  return cpu.starts_with(kPredictedCpu) ? "" : cpu.substr(0, cpu.find(kBeforeRuntime));
}

bool MayBeOfThisCpu(std::string_view cpu) {
  const std::string_view machine = MachineOf(cpu);
  return machine.empty() || machine == CpuName();
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
