// Every cell of the truth tables of docs/modes.md for homogeneous operators: all tensors share a
// set of dtypes, one column per dtype. "CPU": AI CPU in the original dtype when its library has it,
// else EZ3003. The document is written from the rows here and the table of modes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/precision/modes.h"
#include "src/precision/resolve.h"
#include "tests/support/golden.h"
#include "tests/support/plain_graph_builder.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;
using testing::Homogeneous;
using testing::MakeTarget;
using testing::PlainGraphBuilder;
using testing::TableDType;

constexpr DType kF16 = DType::kFloat16;
constexpr DType kBF16 = DType::kBFloat16;
constexpr DType kF32 = DType::kFloat32;

// The sets a .. g, in the order of the cells.
const std::array<std::vector<DType>, 7> kSets = {{
    {kF16},
    {kF32},
    {kF16, kF32},
    {kBF16},
    {kBF16, kF32},
    {kF16, kBF16},
    {kF16, kBF16, kF32},
}};

enum class Kind { kVector, kCube, kBoth };
enum class Upstream { kGraphInput, kFloat16, kBFloat16, kFloat32, kNone };

struct Row {
  const char* name;
  std::vector<std::string> modes;  // --precision_mode values
  std::vector<MixPolicy> policies;
  Kind kind;
  const char* original;
  const char* cells;  // for a b c d e f g; "+w": a warning belongs to the cell
  bool kept = false;
  Upstream upstream = Upstream::kGraphInput;
};

const std::vector<MixPolicy> kAnyPolicy = {MixPolicy::kWhite, MixPolicy::kBlack, MixPolicy::kGray};
const std::vector<MixPolicy> kWhite = {MixPolicy::kWhite};
const std::vector<MixPolicy> kBlack = {MixPolicy::kBlack};
const std::vector<MixPolicy> kGray = {MixPolicy::kGray};
const std::vector<MixPolicy> kNotBlack = {MixPolicy::kWhite, MixPolicy::kGray};
const std::vector<std::string> kMixFp16 = {"allow_mix_precision", "allow_mix_precision_fp16"};
const std::vector<std::string> kMixBf16 = {"allow_mix_precision_bf16"};
const std::vector<std::string> kMix = {"allow_mix_precision", "allow_mix_precision_bf16"};
const std::vector<std::string> kFp32 = {"force_fp32", "cube_fp16in_fp32out"};
const std::vector<std::string> kOrigin = {"must_keep_origin_dtype"};
const std::vector<std::string> kAllow = {"allow_fp32_to_fp16"};
const std::vector<std::string> kAllowBf16 = {"allow_fp32_to_bf16"};
const std::vector<std::string> kAllButOrigin = {"force_fp16",         "force_fp32",
                                                "allow_fp32_to_fp16", "allow_mix_precision",
                                                "allow_fp32_to_bf16", "allow_mix_precision_bf16"};

// clang-format off: the rows stand as in the tables.
const std::vector<Row> kRows = {
    {"ForceFp16_F32",
     {"force_fp16"},
     kAnyPolicy,
     Kind::kBoth,
     "F32",
     "F16 F32 F16 BF16 F32 F16 F16"},
    {"ForceFp16_F16",
     {"force_fp16"},
     kAnyPolicy,
     Kind::kBoth,
     "F16",
     "F16 F32 F16 CPU F32 F16 F16"},
    {"ForceFp16_BF16",
     {"force_fp16"},
     kAnyPolicy,
     Kind::kBoth,
     "BF16",
     "F16 F32 F16 BF16 F32 F16 F16"},

    {"ForceFp32_F32", kFp32, kNotBlack, Kind::kVector, "F32", "F16 F32 F32 BF16 F32 F16 F32"},
    {"ForceFp32_F32Black", kFp32, kBlack, Kind::kVector, "F32", "CPU F32 F32 CPU F32 CPU F32"},
    {"ForceFp32_F16", kFp32, kNotBlack, Kind::kVector, "F16", "F16 F32 F32 CPU F32 F16 F32"},
    {"ForceFp32_F16Black", kFp32, kBlack, Kind::kVector, "F16", "F16 F32 F32 CPU F32 F16 F32"},
    {"ForceFp32_BF16", kFp32, kNotBlack, Kind::kVector, "BF16", "F16 F32 F32 BF16 F32 F16 F32"},
    {"ForceFp32_BF16Black", kFp32, kBlack, Kind::kVector, "BF16", "CPU F32 F32 BF16 F32 F16 F32"},

    {"AllowFp16_F32Vector", kAllow, kAnyPolicy, Kind::kVector, "F32",
     "F16 F32 F32 CPU F32 F16 F32"},
    {"AllowFp16_F32Cube", kAllow, kAnyPolicy, Kind::kCube, "F32", "F16 F32 F16 CPU F32 F16 F16"},
    {"AllowFp16_F16", kAllow, kAnyPolicy, Kind::kBoth, "F16", "F16 F32 F16 CPU F32 F16 F16"},
    {"AllowFp16_BF16", kAllow, kAnyPolicy, Kind::kBoth, "BF16", "F16 F32 F32 BF16 BF16 BF16 BF16"},

    {"Origin_F32", kOrigin, kAnyPolicy, Kind::kBoth, "F32", "CPU F32 F32 CPU F32 CPU F32"},
    {"Origin_F16", kOrigin, kAnyPolicy, Kind::kBoth, "F16", "F16 F32 F16 CPU F32 F16 F16"},
    {"Origin_BF16", kOrigin, kAnyPolicy, Kind::kBoth, "BF16", "CPU F32 F32 BF16 BF16 BF16 BF16"},
    {"MixBlack_F32", kMix, kBlack, Kind::kBoth, "F32", "CPU F32 F32 CPU F32 CPU F32"},
    {"MixBlack_F16", kMix, kBlack, Kind::kBoth, "F16", "F16 F32 F16 CPU F32 F16 F16"},
    {"MixBlack_BF16", kMix, kBlack, Kind::kBoth, "BF16", "CPU F32 F32 BF16 BF16 BF16 BF16"},

    {"MixFp16White_F32", kMixFp16, kWhite, Kind::kBoth, "F32", "F16 F32+w F16 CPU F32 F16 F16"},
    {"MixFp16White_F16", kMixFp16, kWhite, Kind::kBoth, "F16", "F16 F32 F16 CPU F32 F16 F16"},
    {"MixFp16White_BF16", kMixFp16, kWhite, Kind::kBoth, "BF16", "F16 F32 F16 BF16 BF16 F16 F16"},

    {"MixBf16White_F32", kMixBf16, kWhite, Kind::kBoth, "F32", "CPU F32+w F32 BF16 BF16 BF16 BF16"},
    {"MixBf16White_BF16", kMixBf16, kWhite, Kind::kBoth, "BF16", "CPU F32 F32 BF16 BF16 BF16 BF16"},
    {"MixBf16White_F16", kMixBf16, kWhite, Kind::kBoth, "F16", "F16 F32 F16 CPU BF16 F16 F16"},

    {"MixFp16Gray_FollowsF16", kMixFp16, kGray, Kind::kBoth, "F32", "F16 F32 F16 CPU F32 F16 F16",
     false, Upstream::kFloat16},
    {"MixFp16Gray_FollowsF32", kMixFp16, kGray, Kind::kBoth, "F32", "F16 F32 F32 CPU F32 F16 F32",
     false, Upstream::kFloat32},
    {"MixFp16Gray_NoProducerVector", kMixFp16, kGray, Kind::kVector, "F32",
     "F16 F32 F32 CPU F32 F16 F32", false, Upstream::kNone},
    {"MixFp16Gray_NoProducerCube", kMixFp16, kGray, Kind::kCube, "F32",
     "F16 F32 F16 CPU F32 F16 F16", false, Upstream::kNone},
    {"MixBf16Gray_FollowsBF16", kMixBf16, kGray, Kind::kBoth, "F32",
     "CPU F32 F32 BF16 BF16 BF16 BF16", false, Upstream::kBFloat16},
    {"MixBf16Gray_FollowsF32", kMixBf16, kGray, Kind::kBoth, "F32", "CPU F32 F32 BF16 F32 BF16 F32",
     false, Upstream::kFloat32},
    {"MixBf16Gray_NoProducer", kMixBf16, kGray, Kind::kBoth, "F32", "CPU F32 F32 BF16 F32 BF16 F32",
     false, Upstream::kNone},

    {"AllowBf16_F32", kAllowBf16, kAnyPolicy, Kind::kBoth, "F32", "CPU F32 F32 BF16 F32 BF16 F32"},
    {"AllowBf16_F16", kAllowBf16, kAnyPolicy, Kind::kBoth, "F16", "F16 F32 F16 CPU F32 F16 F16"},
    {"AllowBf16_BF16", kAllowBf16, kAnyPolicy, Kind::kBoth, "BF16",
     "CPU F32 F32 BF16 BF16 BF16 BF16"},

    {"Kept_F32", kAllButOrigin, kAnyPolicy, Kind::kBoth, "F32", "CPU F32 F32 CPU F32 CPU F32",
     true},
    {"Kept_F16", kAllButOrigin, kAnyPolicy, Kind::kBoth, "F16", "F16 F32 F16 CPU F32 F16 F16",
     true},
    {"Kept_BF16", kAllButOrigin, kAnyPolicy, Kind::kBoth, "BF16", "CPU F32 F32 BF16 BF16 BF16 BF16",
     true},
};

// clang-format on

// The node under test is "op", a Relu; before it, where a cell asks for one, a producer that
// resolves to the wanted dtype in both mixed modes.
Graph GraphFor(const Row& row) {
  const DType original = TableDType(row.original);
  PlainGraphBuilder builder;
  ValueId from = kNoValue;
  switch (row.upstream) {
    case Upstream::kGraphInput:
      from = builder.Input("x", original);
      break;
    case Upstream::kNone:
      from = builder.Dangling("x", original);
      break;
    case Upstream::kFloat32:
      from = builder.Node(OpKind::kExp, "black", {builder.Input("x")}, original);
      break;
    case Upstream::kFloat16:
    case Upstream::kBFloat16:
      from = builder.Node(OpKind::kAbs, "white", {builder.Input("x")}, original);
      break;
  }
  const ValueId result = builder.Node(OpKind::kRelu, "op", {from}, original);
  return builder.Finish({result});
}

TargetSpec TargetFor(MixPolicy policy, bool cube, const std::vector<DType>& dtypes) {
  const std::vector<DType> all = {kF16, kF32, kBF16};
  return MakeTarget({{"Relu", Homogeneous(1, dtypes, policy, cube)},
                     {"Abs", Homogeneous(1, all, MixPolicy::kWhite)},
                     {"Exp", Homogeneous(1, all, MixPolicy::kBlack)}});
}

struct Cell {
  std::string text;
  bool warns = false;
};

std::vector<Cell> CellsOf(const Row& row) {
  std::vector<Cell> cells;
  for (const std::string_view text : Split(row.cells, ' ')) {
    const bool warns = text.ends_with("+w");
    cells.push_back({std::string(warns ? text.substr(0, text.size() - 2) : text), warns});
  }
  return cells;
}

// Without an AI CPU library.
void ExpectCell(const Graph& graph, const PrecisionOptions& options, const TargetSpec& target,
                const Cell& cell) {
  if (cell.text == "CPU") {
    try {
      ResolvePrecision(graph, options, target);
      ADD_FAILURE() << "expected EZ3003";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
      EXPECT_THAT(error.what(),
                  HasSubstr("EZ3002: optype [Relu] is not supported by AiCore: inputs"));
      EXPECT_THAT(error.what(), HasSubstr("EZ3002: optype [Relu] is not supported by AiCpu"));
      EXPECT_THAT(error.what(), HasSubstr("EZ3003: no supported kernel and engine found for [op]"));
    }
    return;
  }
  const PrecisionPlan plan = ResolvePrecision(graph, options, target);
  const NodePrecision& node = plan.nodes.back();
  EXPECT_EQ(node.engine, Engine::kAiCore);
  EXPECT_EQ(NameOf(node.inputs.at(0)), NameOf(TableDType(cell.text)));
  EXPECT_EQ(NameOf(node.outputs.at(0)), NameOf(TableDType(cell.text)));
  EXPECT_EQ(plan.warnings.size(), cell.warns ? 1U : 0U);
  if (cell.warns) {
    EXPECT_THAT(plan.warnings.at(0), HasSubstr("node 'op' (Relu) is on the white list"));
  }
}

// With one that has every dtype: only the CPU cells change.
void ExpectCellWithAiCpu(const Graph& graph, const PrecisionOptions& options, TargetSpec target,
                         const Cell& cell) {
  target.ai_cpu["Relu"] = AiCpuOp::Any(kAllDTypes);
  const PrecisionPlan plan = ResolvePrecision(graph, options, target);
  const NodePrecision& node = plan.nodes.back();
  if (cell.text == "CPU") {
    EXPECT_EQ(node.engine, Engine::kAiCpu);
    EXPECT_EQ(node.inputs.at(0), graph.value(graph.nodes.back().inputs[0]).type.dtype);
    EXPECT_EQ(node.outputs.at(0), graph.value(graph.nodes.back().outputs[0]).type.dtype);
    EXPECT_THAT(node.reason, HasSubstr("AiCpu in the original dtypes"));
  } else {
    EXPECT_EQ(node.engine, Engine::kAiCore);
    EXPECT_EQ(node.outputs.at(0), TableDType(cell.text));
  }
}

// With one that has the type, but not the original dtype: as without.
void ExpectNoAiCpuForOtherDTypes(const Graph& graph, const PrecisionOptions& options,
                                 TargetSpec target, const Cell& cell) {
  target.ai_cpu["Relu"] = AiCpuOp::Any(DTypeSet(DType::kInt32));
  if (cell.text == "CPU") {
    EXPECT_THROW(ResolvePrecision(graph, options, target), Error);
  } else {
    EXPECT_EQ(ResolvePrecision(graph, options, target).nodes.back().engine, Engine::kAiCore);
  }
}

class TruthTable : public ::testing::TestWithParam<Row> {};

TEST_P(TruthTable, EveryCell) {
  const Row& row = GetParam();
  const Graph graph = GraphFor(row);
  const std::vector<Cell> cells = CellsOf(row);
  ASSERT_EQ(cells.size(), kSets.size());
  for (const std::string& mode : row.modes) {
    PrecisionOptions options;
    options.precision_mode = mode;
    if (row.kept) {
      options.keep_dtype = {"op"};
    }
    for (const MixPolicy policy : row.policies) {
      for (const bool cube : {false, true}) {
        if ((cube && row.kind == Kind::kVector) || (!cube && row.kind == Kind::kCube)) {
          continue;
        }
        for (std::size_t set = 0; set < kSets.size(); ++set) {
          SCOPED_TRACE(fmt::format("mode {}, {}, {}, set {}", mode, NameOf(policy),
                                   cube ? "cube" : "vector", "abcdefg"[set]));
          const TargetSpec target = TargetFor(policy, cube, kSets[set]);
          ExpectCell(graph, options, target, cells[set]);
          ExpectCellWithAiCpu(graph, options, target, cells[set]);
          ExpectNoAiCpuForOtherDTypes(graph, options, target, cells[set]);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, TruthTable, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

// The values of --precision_mode_v2 fill the same cells as their names in --precision_mode.
TEST(TruthTable, V2NamesResolveAlike) {
  for (const PrecisionMode& mode : AllPrecisionModes()) {
    if (mode.name.empty() || mode.v2_name.empty()) {
      continue;
    }
    for (const Row& row : kRows) {
      const Graph graph = GraphFor(row);
      for (const MixPolicy policy : kAnyPolicy) {
        for (const auto& set : kSets) {
          TargetSpec target = TargetFor(policy, false, set);
          target.ai_cpu["Relu"] = AiCpuOp::Any(kAllDTypes);
          PrecisionOptions v1;
          v1.precision_mode = mode.name;
          PrecisionOptions v2;
          v2.precision_mode_v2 = mode.v2_name;
          EXPECT_EQ(ResolvePrecision(graph, v1, target), ResolvePrecision(graph, v2, target));
        }
      }
    }
  }
}

// "first listed" cells: where both 16-bit types are listed, mixed float16 prefers float16 and mixed
// bfloat16 takes the library's order.
TEST(TruthTable, FirstListed) {
  const std::vector<DType> reversed = {kBF16, kF16};
  const auto resolve = [&](const char* mode, DType original) {
    PlainGraphBuilder builder;
    const ValueId y = builder.Node(OpKind::kRelu, "op", {builder.Input("x", original)}, original);
    PrecisionOptions options;
    options.precision_mode = mode;
    return ResolvePrecision(builder.Finish({y}), options,
                            TargetFor(MixPolicy::kWhite, false, reversed))
        .nodes[0]
        .outputs[0];
  };
  EXPECT_EQ(resolve("allow_mix_precision", kBF16), kF16);
  EXPECT_EQ(resolve("allow_mix_precision", kF32), kF16);
  EXPECT_EQ(resolve("allow_mix_precision_bf16", kF16), kBF16);
  EXPECT_EQ(resolve("allow_mix_precision_bf16", kF32), kBF16);
}

// Texts of docs/modes.md.
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
    text += fmt::format("| {} | {} | {} |\n", NamesOf(mode.name, mode.alias),
                        NamesOf(mode.v2_name, ""), mode.meaning);
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
  return "# Precision modes\n"
         "\n"
         "Written from `src/precision/modes.cc` and the rows of `precision_truth_table_test`, "
         "which\n"
         "checks every cell (`UPDATE_GOLDEN=1` rewrites this page). F16, BF16, F32: float16,\n"
         "bfloat16, float32. How rules are applied: [resolving.md](resolving.md).\n"
         "\n"
         "## Names\n"
         "\n"
         "| `--precision_mode` | `--precision_mode_v2` | in one line |\n"
         "|---|---|---|\n" +
         ModeRows() +
         "\n"
         "## Rules\n"
         "\n"
         "*May lower* and *forbidden* belong to the [engine phase](resolving.md#phase-1-engine), "
         "the rule\n"
         "for a tensor of original dtype o to the [column phase](resolving.md#phase-2-column).\n"
         "\n"
         "| mode | may lower to F16 | may lower to BF16 | forbidden as a result | rule |\n"
         "|---|---|---|---|---|\n" +
         RuleRows() +
         "\n"
         "## Truth tables\n"
         "\n"
         "For operators whose tensors share one set of dtypes. A cell is the dtype of inputs and "
         "outputs\n"
         "on AI Core; CPU means AI CPU in the original dtype, or EZ3003 where AI CPU does not have "
         "it;\n"
         "`+w`: with a warning. *Producer* is the dtype that a gray operator follows. The columns "
         "a to g\n"
         "are sets of dtypes that the library has:\n"
         "\n"
         "| a | b | c | d | e | f | g |\n"
         "|---|---|---|---|---|---|---|\n"
         "| F16 | F32 | F16, F32 | BF16 | BF16, F32 | F16, BF16 | F16, BF16, F32 |\n"
         "\n"
         "| mode | list | operator | original | producer | a | b | c | d | e | f | g |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|---|\n" +
         CellRows() +
         "\n"
         "A white operator of original F16 in `allow_mix_precision_bf16` takes the first of F16 "
         "and BF16\n"
         "that the library lists. In `force_fp32` a cube operator, on any list and whatever else "
         "is\n"
         "listed, takes the first of F16 -> F32, F32 -> F32, F16 -> F16 that exists, and without "
         "any it is\n"
         "an error.\n";
}

TEST(TruthTable, DocumentIsWrittenFromTheRows) {
  EXPECT_TRUE(testing::MatchesGolden(Document(), "../../docs/modes.md"));
}

}  // namespace
}  // namespace halftone
