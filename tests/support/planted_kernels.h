// Additional kernels, so that operator tuning has a choice on every CPU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel_table_for_tests.h"
#include "src/base/error.h"

namespace halftone::testing {

// While an object lives, a table behind all others has a twin of each named kernel: the same code
// under the name "<name>.planted". Only one object may live at a time.
class PlantedKernels {
 public:
  explicit PlantedKernels(const std::vector<std::string_view>& names) {
    const auto tables = AllKernelTables();
    tables_.assign(tables.begin(), tables.end());
    names_.reserve(names.size());  // rows refer to them
    for (const std::string_view name : names) {
      names_.push_back(std::string(name) + ".planted");
      KernelEntry row = Row(name);
      row.name = names_.back();
      rows_.push_back(row);
    }
    tables_.emplace_back(rows_);
    PlantKernelTablesForTests(tables_);
  }

  PlantedKernels(const PlantedKernels&) = delete;
  PlantedKernels& operator=(const PlantedKernels&) = delete;

  ~PlantedKernels() { PlantKernelTablesForTests({}); }

 private:
  [[nodiscard]] const KernelEntry& Row(std::string_view name) const {
    for (const auto& table : tables_) {
      for (const KernelEntry& entry : table) {
        if (entry.name == name) {
          return entry;
        }
      }
    }
    throw Error(ErrorKind::kInternal, "no kernel is named " + std::string(name));
  }

  std::vector<std::span<const KernelEntry>> tables_;
  std::vector<std::string> names_;
  std::vector<KernelEntry> rows_;
};

// Gives products in float32 at least two kernels on every CPU.
inline PlantedKernels PlantProducts() {
  return PlantedKernels({"matmul.f32.highway"});
}

}  // namespace halftone::testing
