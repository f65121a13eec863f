#include "halftone/bank.h"

#include <pybind11/pybind11.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "src/python/functions.h"
#include "src/python/gil.h"

namespace py = pybind11;

namespace halftone {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The bank that commands use without --op_bank_path.
std::string DefaultBank() {
  return FindBank(BankUse::kReadOperators, {.option = {},
                                            .tune_bank_path = Environment("TUNE_BANK_PATH"),
                                            .ascend_cache_path = Environment("ASCEND_CACHE_PATH"),
                                            .home = Environment("HOME")})
      .path.string();
}

std::string Exported(const std::string& bank, const std::string& soc_version) {
  std::string lines;
  ExportBank(bank, soc_version, [&](std::string_view more) { lines += more; });
  return lines;
}

}  // namespace

void DefineBank(py::module_& module) {
  const py::call_guard<GilReleased> unlocked;
  module.def("default_bank", &DefaultBank);
  module.def(
      "bank_list",
      [](const std::string& bank, const std::string& target) { return ListBank(bank, target); },
      unlocked);
  module.def(
      "bank_show",
      [](const std::string& bank, const std::string& target, const std::string& workload) {
        return ShowBank(bank, target, workload);
      },
      unlocked);
  module.def("bank_export", &Exported, unlocked);
}

}  // namespace halftone
