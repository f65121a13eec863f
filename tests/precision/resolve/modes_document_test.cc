// docs/reference/modes.md is written from the table of modes and the rows of the truth tables.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "src/base/text.h"
#include "src/precision/resolve/modes.h"
#include "tests/precision/resolve/truth_table_rows.h"
#include "tests/support/golden.h"

namespace halftone {
namespace {

using truth_table::kAnyPolicy;
using truth_table::kBF16;
using truth_table::Kind;
using truth_table::kRows;
using truth_table::Row;
using truth_table::Upstream;

std::string CodeList(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", name);
  }
  return text;
}

std::string NamesOf(std::string_view first, std::string_view second) {
  std::vector<std::string> names;
  for (const std::string_view name : {first, second}) {
    if (!name.empty()) {
      names.emplace_back(name);
    }
  }
  return CodeList(names);
}

std::string_view WhenOf(Lowering lowering) {
  return lowering == Lowering::kAlways        ? "always"
         : lowering == Lowering::kUnlessBlack ? "unless black"
                                              : "never";
}

std::string ForbiddenOf(const PrecisionMode& mode) {
  if (!mode.forbidden) {
    return "-";
  }
  return fmt::format("{}{}", mode.forbidden->dtype == kBF16 ? "BF16" : "F16",
                     mode.forbidden->even_if_original ? "" : ", unless original");
}

std::string ModeRows() {
  std::string text;
  for (const PrecisionMode& mode : AllPrecisionModes()) {
    text += fmt::format("| {} | {} | {}{} |\n", NamesOf(mode.name, mode.alias),
                        NamesOf(mode.v2_name, ""), mode.meaning,
                        mode.needs_bfloat16 ? "; targets with BF16 only" : "");
  }
  return text;
}

std::string RuleRows() {
  std::string text;
  for (const PrecisionMode& mode : AllPrecisionModes()) {
    if (mode.narrow != nullptr) {
      text += fmt::format("| `{}` | {} | {} | {} | {} |\n", mode.label(), WhenOf(mode.to_float16),
                          WhenOf(mode.to_bfloat16), ForbiddenOf(mode), mode.rule);
    }
  }
  return text;
}

std::string ListsOf(const Row& row) {
  std::vector<std::string> names;
  for (const MixPolicy policy : row.policies) {
    names.emplace_back(NameOf(policy));
  }
  return row.kept ? "kept node" : names.size() == kAnyPolicy.size() ? "any" : Join(names, ", ");
}

std::string_view ProducerOf(const Row& row) {
  switch (row.upstream) {
    case Upstream::kGraphInput:
      return "";
    case Upstream::kFloat16:
      return "F16";
    case Upstream::kBFloat16:
      return "BF16";
    case Upstream::kFloat32:
      return "F32";
    case Upstream::kNone:
      return "none";
  }
  return "";
}

std::string CellRows() {
  std::string text;
  for (const Row& row : kRows) {
    text += fmt::format("| {} | {} | {} | {} | {} |", CodeList(row.modes), ListsOf(row),
                        row.kind == Kind::kVector ? "vector"
                        : row.kind == Kind::kCube ? "cube"
                                                  : "both",
                        row.original, ProducerOf(row));
    for (const std::string_view cell : Split(row.cells, ' ')) {
      text += fmt::format(" {} |", cell);
    }
    text += "\n";
  }
  return text;
}

std::string Document() {
  return R"(# Precision modes

For those who ask which dtypes a node has in a mode, and where that is from.
Written from `src/precision/resolve/modes.cc` and `tests/precision/resolve/truth_table_rows.h`, whose cells
`precision_truth_table_test` checks (`UPDATE_GOLDEN=1` and `precision_modes_test` rewrite this page).
F16, BF16, F32: float16, bfloat16, float32. How rules are applied: [resolving.md](../internals/resolving.md).

## Names

| `--precision_mode` | `--precision_mode_v2` | in one line |
|---|---|---|
)" + ModeRows() +
         R"(
## Rules

*May lower* belongs to the [engine phase](../internals/resolving.md#phase-1-engine); *forbidden*, and the rule for a
tensor of original dtype o, belong to the [column phase](../internals/resolving.md#phase-2-column). In `force_fp32` a cube
operator may always be lowered to F16.

| mode | may lower to F16 | may lower to BF16 | forbidden as a result | rule |
|---|---|---|---|---|
)" + RuleRows() +
         R"(
## Truth tables

For operators whose tensors share one set of dtypes. A cell is the dtype of inputs and outputs on AI
Core; CPU means AI CPU in the original dtype, or EZ3003 where AI CPU does not have it; `+w`: with a
warning. *Producer* is the dtype that a gray operator
follows (none: a value that is no result, graph input or constant); gray rows are of original F32. The columns a to g are sets of dtypes
that the library has:

| a | b | c | d | e | f | g |
|---|---|---|---|---|---|---|
| F16 | F32 | F16, F32 | BF16 | BF16, F32 | F16, BF16 | F16, BF16, F32 |

| mode | list | operator | original | producer | a | b | c | d | e | f | g |
|---|---|---|---|---|---|---|---|---|---|---|---|
)" + CellRows() +
         R"(
A white operator of original F16 in `allow_mix_precision_bf16` takes the first of F16 and BF16 that
the library lists. In `force_fp32` a cube operator, on any list and whatever else is listed, takes the
first of F16 -> F32, F32 -> F32, F16 -> F16 that exists, and without any it is an error.
)";
}

TEST(ModesDocument, IsWrittenFromTheRows) {
  EXPECT_TRUE(testing::MatchesGolden(Document(), "../../docs/reference/modes.md"));
}

}  // namespace
}  // namespace halftone
