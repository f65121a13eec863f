#include "src/api/bank/version_warnings.h"

#include <fmt/format.h>

#include "src/api/bank/workload.h"

namespace halftone {
namespace {

std::string NameOfLibrary(std::string_view library) {
  return library.empty() ? "the built-in operator library"
                         : fmt::format("the operators of {}", library);
}

}  // namespace

std::vector<std::string> VersionWarnings(const Workload& stored, const KernelVersion& kernels,
                                         const Hash128& choices, std::string_view library) {
  std::vector<std::string> warnings;
  if (stored.tool_version != Version()) {
    warnings.push_back(fmt::format("measured by halftone {}, this is {}: tune again to be sure",
                                   stored.tool_version, Version()));
  }
  if (stored.cpu.empty()) {
    warnings.emplace_back(
        "measured on an unknown CPU, by a halftone that did not record it: tune again on this "
        "machine");
  } else if (const std::string_view machine = MachineOf(stored.cpu);
             !machine.empty() && machine != kernels.cpu) {
    warnings.push_back(
        fmt::format("measured on another CPU, '{}', this one is '{}': latencies are "
                    "of that machine, tune again on this one",
                    machine, kernels.cpu));
  } else if (stored.isa != kernels.isa) {
    warnings.push_back(fmt::format("measured with {}, this CPU has {}: tune again on this machine",
                                   stored.isa, kernels.isa));
  }
  if (stored.kernel_table_hash != kernels.kernel_table_hash) {
    warnings.emplace_back("the kernels have changed since it was measured: tune again to be sure");
  } else if (stored.kernel_choices != choices) {
    warnings.emplace_back(
        "operator tuning has chosen other kernels since it was measured: tune again to be sure");
  }
  if (LibraryOf(stored.cpu) != library) {
    warnings.push_back(fmt::format("searched with {}, here are {}: tune again with these",
                                   NameOfLibrary(LibraryOf(stored.cpu)), NameOfLibrary(library)));
  }
  return warnings;
}

}  // namespace halftone
