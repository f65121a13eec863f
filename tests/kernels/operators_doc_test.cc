// docs/reference/operators.md is written from the operator table and the kernel tables.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "kernels/kernel_table.h"
#include "src/base/text.h"
#include "src/ir/ir_type.h"
#include "src/ir/op_table.h"
#include "tests/support/golden.h"

namespace halftone {
namespace {

// The dtypes of all entries of `op` that are references, or that are not.
DTypeSet DTypesOf(OpKind op, bool references) {
  DTypeSet dtypes;
  for (const auto& table : AllKernelTables()) {
    for (const KernelEntry& entry : table) {
      if (entry.op == op && entry.is_reference == references) {
        dtypes = dtypes | entry.dtypes;
      }
    }
  }
  return dtypes;
}

std::string Names(DTypeSet dtypes) {
  if (dtypes == kAllDTypes) {
    return "all";
  }
  std::vector<std::string> names;
  for (const DTypeRow& row : kDTypes) {
    if (dtypes.Has(row.dtype)) {
      names.emplace_back(row.short_name);
    }
  }
  return names.empty() ? "-" : Join(names, " ");
}

std::string Document() {
  std::string text =
      "# Operators\n"
      "\n"
      "For those who ask whether halftone runs an operator, in which dtypes, and on which list it "
      "is.\n"
      "Written from `src/ir/op_rows.h` and the kernel tables; `kernels_operators_doc_test` keeps "
      "it current (`UPDATE_GOLDEN=1` rewrites it).\n"
      "Operators that the importer makes into these are in [models.md](models.md); what an entry "
      "computes and how far it may be off is in the header of its family "
      "([kernels.md](../internals/kernels.md)).\n"
      "\n"
      "Operands: T is what a precision mode changes, Y the result of a matrix operator, I int32 or "
      "int64, L int64, B bool, F float32, A any; `?` may be left out, `*` one or more. List: "
      "whether a "
      "mixed-precision mode of target `host` lowers the operator (white), does not (black), or "
      "follows "
      "its producers (gray).\n"
      "\n"
      "| operator | IR types | inputs | outputs | list | fast kernels | reference |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const OpInfo& info : AllOps()) {
    std::vector<std::string> types;
    for (const std::string_view type : IrTypesOf(info.kind)) {
      types.emplace_back(type);
    }
    text += fmt::format("| {} | {} | `{}` | `{}` | {} | {} | {} |\n", info.name, Join(types, ", "),
                        info.inputs, info.outputs, NameOf(info.policy),
                        Names(DTypesOf(info.kind, false)), Names(DTypesOf(info.kind, true)));
  }
  return text;
}

TEST(OperatorsDoc, IsWhatTheTablesSay) {
  EXPECT_TRUE(testing::MatchesGolden(Document(), "../../docs/reference/operators.md"));
}

}  // namespace
}  // namespace halftone
