// The tables of docs/reference/targets.md are those of the code.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/file.h"
#include "src/base/text.h"
#include "src/ir/op_table.h"
#include "src/target/builtin_targets.h"
#include "src/target/destinations.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::SourceDir;

std::string YesNo(bool value) {
  return value ? "yes" : "no";
}

std::string TargetTable() {
  std::string text =
      "| family | `--soc_version` | BF16 | HIF8 | HF32 | overflow | training default |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const std::string_view name : TargetFamilies()) {
    const TargetFile& file = *FindFamily(name);
    const TargetSpec& spec = file.spec;
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", name,
                        "`" + Join(file.soc_versions, "`, `") + "`", YesNo(spec.has_bfloat16),
                        YesNo(spec.has_hifloat8), YesNo(spec.has_hf32), NameOf(spec.overflow),
                        spec.training_mode);
  }
  return text;
}

std::string ListTable() {
  std::string text =
      "| family | `matrix` (operands > result) | `float` |\n"
      "|---|---|---|\n";
  for (const std::string_view name : TargetFamilies()) {
    const TargetFile& file = *FindFamily(name);
    std::vector<std::string> matrix;
    for (const DTypePair& pair : file.dtype_lists.at("matrix")) {
      matrix.push_back(fmt::format("{}>{}", NameOf(pair.dtype), NameOf(pair.result)));
    }
    std::vector<std::string> floats;
    for (const DTypePair& pair : file.dtype_lists.at("float")) {
      floats.emplace_back(NameOf(pair.dtype));
    }
    text += fmt::format("| {} | {} | {} |\n", name, Join(matrix, ", "), Join(floats, ", "));
  }
  return text;
}

std::string FigureTable() {
  std::string text = "| SoC | figure | value | source |\n|---|---|---|---|\n";
  for (const std::string& soc : SocVersions()) {
    for (const RooflineFigure& figure : FindSocVersion(soc)->ForSoc(soc).roofline) {
      text += fmt::format("| {} | {} | {:g} {} | {} |\n", soc, figure.name, figure.value,
                          figure.unit, figure.source);
    }
  }
  return text;
}

class DocumentTest : public ::testing::Test {
 protected:
  const std::string document_ = ReadFile(SourceDir() / "docs/reference/targets.md");
};

TEST_F(DocumentTest, HasTheTablesOfTheCode) {
  for (const std::string& table : {TargetTable(), ListTable(), FigureTable()}) {
    EXPECT_NE(document_.find("\n\n" + table + "\n"), std::string::npos)
        << "docs/reference/targets.md lacks this table:\n\n"
        << table;
  }
}

// Rows of the tables of docs/guide/int8.md.
TEST_F(DocumentTest, DestinationsAreThoseOfTheCode) {
  const std::string page = ReadFile(SourceDir() / "docs/guide/int8.md");
  std::map<const OpKind*, std::vector<std::string_view>> names;
  for (const Destination& row : Destinations()) {
    names[row.scaled.data()].push_back(row.name);
    const std::string line =
        fmt::format("| `{}` | {} | `{}` | {}, {} | {} | {} | {} |\n", row.name, row.runtime,
                    row.flavour, row.int8, row.float32, row.bandwidth, row.conversion, row.source);
    EXPECT_NE(page.find(line), std::string::npos) << line;
  }
  for (const Destination& row : Destinations()) {
    std::vector<std::string_view> operators;
    for (const OpKind op : row.scaled) {
      operators.push_back(InfoOf(op).name);
    }
    const std::string line = fmt::format(
        "| `{}` | {} |\n", fmt::join(names[row.scaled.data()], "`, `"), fmt::join(operators, ", "));
    EXPECT_NE(page.find(line), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace halftone
