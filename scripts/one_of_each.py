"""One small thing of each kind that CONTRIBUTING.md's table says how to add, as edits of the sources.

add_one_of_each.py applies them. Paths are whole strings, so that a script that moves files can rewrite them.
"""
import dataclasses
import posixpath


@dataclasses.dataclass(frozen=True)
class Insert:
    """`text` behind `after`, which stands in `path` once."""
    path: str
    after: str
    text: str


@dataclasses.dataclass(frozen=True)
class Listed:
    """`name` in a list of CMake, behind `like` and in the same folder as that."""
    path: str
    like: str
    name: str


@dataclasses.dataclass(frozen=True)
class New:
    path: str
    text: str


@dataclasses.dataclass(frozen=True)
class Proof:
    """A test of the build, linked with what was added: it passes, and ran the cases of `filter`.

    `updates` (UPDATE_GOLDEN=1) rewrites the files that the table says are written by tests.
    """
    target: str
    filter: str = "*"
    updates: bool = False


@dataclasses.dataclass(frozen=True)
class Kind:
    row: str  # the first cell of its row in CONTRIBUTING.md
    edits: tuple
    golden: tuple = ()  # rewritten by tests
    most_places: int = 0  # files to edit by hand; 0: any number
    also_compile: tuple = ()  # what reads an edited header
    proofs: tuple = ()


def beside(path: str, name: str) -> str:
    return posixpath.join(posixpath.dirname(path), name)


OPERATOR = Kind(
    row="element-wise operator of one operand",
    edits=(
        Insert("src/ir/op_rows.h", "DynamicQuantizeLinearShape)",
               ' \\\n  ROW(kHalve, "Halve", "T", "T", kGray, kElementwise, SameShape)'),
        Insert("src/target/specs/base.ini", "\nNeg = gray T->T float int | number", "\nHalve = gray T->T float | real"),
        Insert("kernels/unary/vector_loops.cc", "namespace HWY_NAMESPACE {\n", """
struct HalveOp {
  HWY_INLINE FloatVec operator()(FloatTag d, FloatVec x, const UnaryParams&) const {
    return hn::Mul(x, hn::Set(d, 0.5F));
  }
};
"""),
        Insert("kernels/unary/vector_loops.cc", "Row<RoundOp>(OpKind::kRound, 0.1),",
               "\n      Row<HalveOp>(OpKind::kHalve, 0.1),"),
        Insert("kernels/unary/reference.cc", "{OpKind::kNeg, [](double x, const UnaryParams&) { return -x; }},",
               "\n    {OpKind::kHalve, [](double x, const UnaryParams&) { return x / 2; }},"),
        Insert("kernels/unary/table.cc", 'Vector("unary.round.vector", OpKind::kRound),',
               '\n    Vector("unary.halve.vector", OpKind::kHalve),'),
        Insert("kernels/unary/table.cc", 'Reference("unary.neg.reference", OpKind::kNeg),',
               '\n    Reference("unary.halve.reference", OpKind::kHalve),'),
    ),
    golden=("docs/reference/operators.md",),
    most_places=5,
    also_compile=("src/ir/op_table.cc", "tests/kernels/unary_test.cc"),
    proofs=(Proof("kernels_unary_test", "*Halve*"), Proof("kernels_kernel_table_test"),
            Proof("kernels_operators_doc_test", updates=True)),
)

KERNEL = Kind(
    row="kernel variant",
    edits=(
        New(beside("kernels/transpose/table.cc", "same_order.h"), """// Transposes that move no axis, or axes of extent 1 alone: one copy.
#pragma once

#include <memory>
#include <string_view>

#include "kernels/kernel_table.h"

namespace halftone {

std::string_view SameOrderRefusal(const KernelQuery& query);
std::unique_ptr<KernelState> PrepareSameOrder(const KernelQuery& query);
void RunSameOrder(const KernelArgs& args) noexcept;

}  // namespace halftone
"""),
        New(beside("kernels/transpose/table.cc", "same_order.cc"), """#include "kernels/transpose/same_order.h"

#include <algorithm>
#include <cstring>

#include "src/ir/attributes.h"

namespace halftone {
namespace {

struct SameOrderState final : KernelState {
  std::size_t bytes = 0;
};

}  // namespace

std::string_view SameOrderRefusal(const KernelQuery& query) {
  const auto axes = query.attributes->Ints("perm");
  return axes.empty() || !std::is_sorted(axes.begin(), axes.end()) || axes.front() < 0
             ? "moves no axis"
             : "";
}

std::unique_ptr<KernelState> PrepareSameOrder(const KernelQuery& query) {
  auto state = std::make_unique<SameOrderState>();
  const TensorType& x = *query.inputs.at(0);
  state->bytes = static_cast<std::size_t>(x.shape.ElementCount()) * SizeOf(x.dtype);
  return state;
}

void RunSameOrder(const KernelArgs& args) noexcept {
  const auto& state = *static_cast<const SameOrderState*>(args.state);
  if (state.bytes != 0) {
    std::memcpy(args.outputs[0], args.inputs[0], state.bytes);
  }
}

}  // namespace halftone
"""),
        Insert("kernels/transpose/table.cc", '#include "kernels/transpose/permutation.h"',
               '\n#include "kernels/transpose/same_order.h"'),
        Insert("kernels/transpose/table.cc", "constexpr KernelEntry kRows[] = {", """
    {.name = "transpose.any.same_order",
     .op = OpKind::kTranspose,
     .dtypes = kAllDTypes,
     .impl_mode = ImplMode::kDefault,
     .isa = kIsaAny,
     .refusal = SameOrderRefusal,
     .prepare = PrepareSameOrder,
     .scratch_bytes = nullptr,
     .run = RunSameOrder},"""),
        Listed("kernels/transpose/CMakeLists.txt", "permutation.cc", "same_order.cc"),
    ),
    proofs=(Proof("kernels_transpose_test"), Proof("kernels_kernel_table_test")),
)

TILE = Kind(
    row="register tile of matrix products",
    edits=(
        New(beside("kernels/tile/amx_emulated.h", "plain.h"), """// A float32 product of 4 x 16 in plain C++.
#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/tile/tile.h"

namespace halftone {

inline constexpr int kPlainRows = 4;
inline constexpr int kPlainColumns = 16;

inline void PlainTile(const TileArgs& args) noexcept {
  for (int first = 0; first < args.columns; first += kPlainColumns) {
    const auto* b = reinterpret_cast<const float*>(static_cast<const std::byte*>(args.b) +
                                                   first / kPlainColumns * args.panel_stride);
    const int columns = std::min(kPlainColumns, args.columns - first);
    for (int i = 0; i < args.rows; ++i) {
      const float* a = static_cast<const float*>(args.a) + i * args.lda;
      for (int j = 0; j < columns; ++j) {
        float& c = args.c[i * kPlainColumns + first + j];
        float sum = 0;
        for (std::int64_t k = 0; k < args.steps; ++k) {
          sum += a[k] * b[k * kPlainColumns + j];
        }
        c = args.accumulate ? c + sum : sum;
      }
    }
  }
}

}  // namespace halftone
"""),
        Insert("kernels/tile/tile_kernel.h", '#include "kernels/tile/amx_shape.h"',
               '\n#include "kernels/tile/plain.h"'),
        Insert("kernels/tile/tile_kernel.h", """               .component = {"tile.amx_emulated", 2, "32 x 32, flushes after rounding"},
               .block_steps = kAmxBlockSteps,
               .step_group = kAmxSteps,
               .emulates = true},""", """
    TileKernel{.name = "plain",
               .isa = kIsaAny,
               .storage = TileStorage::kFloat32,
               .rows = kPlainRows,
               .columns = kPlainColumns,
               .run = PlainTile,
               .component = {.name = "tile.plain"},
               .emulates = true},"""),
    ),
    also_compile=("kernels/tile/pack_panels.cc", "kernels/tile/panel_block.cc", "kernels/tile/tile_kernel.cc",
                  "kernels/gemm/table.cc", "tests/kernels/tile_test.cc"),
    proofs=(Proof("kernels_tile_test"),),
)

INSTRUCTION_SET = Kind(
    row="instruction set",
    edits=(
        Insert("kernels/cpu_isa.h", "inline constexpr IsaMask kIsaAmxInt8 = 1U << 6;     // tdpbusd",
               "\ninline constexpr IsaMask kIsaAvx512Ifma = 1U << 7;  // vpmadd52luq"),
        Insert("kernels/cpu_isa.cc", "{.leaf7_edx = kAmxTile | Bit(25), .xcr0 = kTileState, .tiles = true}},",
               '\n    InstructionSet{kIsaAvx512Ifma, "avx512_ifma", kIsaAvx512, {.leaf7_ebx = Bit(21)}},'),
        Insert("tests/kernels/cpu_isa_test.cc", "bit_AVX512DQ | bit_AVX512VL", " | bit_AVX512IFMA"),
        Insert("tests/kernels/cpu_isa_test.cc", "+avx512_fp16+amx_bf16+amx_int8", "+avx512_ifma"),
    ),
    proofs=(Proof("kernels_cpu_isa_test"),),
)

FORMAT = Kind(
    row="number format that is searched",
    edits=(
        New(beside("src/ir/formats/float32_m10.h", "float32_m12.h"), """// Float32 with 12 bits of mantissa.
#pragma once

#include <cmath>

#include "src/ir/format_row.h"

namespace halftone {

// To nearest by adding and taking away 2^11 times the value: 12 bits and the first one stay.
inline float RoundToFloat32M12(float value) {
  const float large = value * 0x1.002p11F;
  const float rounded = large - (large - value);
  return std::isfinite(rounded) ? rounded : value;
}

inline constexpr FormatRow kFloat32M12{.name = "float32_m12",
                                       .dtype = DType::kFloat32,
                                       .mantissa_bits = 12,
                                       .smallest_normal = 0x1p-126,
                                       .largest = 0x1.fffp127,
                                       .round = RoundToFloat32M12};

}  // namespace halftone
"""),
        Insert("src/ir/numeric_format.h", '#include "src/ir/formats/float32_m10.h"',
               '\n#include "src/ir/formats/float32_m12.h"'),
        Insert("src/ir/numeric_format.h", "kOtherFormats = {kFloat32M10", ", kFloat32M12"),
    ),
    # The table is inlined everywhere, so the tests of a build without the row prove nothing of it.
    also_compile=("src/ir/tensor.cc", "tests/api/number_formats_test.cc"),
)

MODE = Kind(
    row="precision mode",
    edits=(
        Insert("src/precision/resolve/mode_rules.h", "void NarrowForceFp16(const TensorToNarrow& tensor, NodeColumns& node);",
               "\nvoid NarrowForceBf16(const TensorToNarrow& tensor, NodeColumns& node);"),
        Insert("src/precision/resolve/mode_rules.cc",
               "node.columns.Rise(tensor.dtypes, IsTunable(tensor.original) ? kF16 : tensor.original, kBF16);\n}\n", """
void NarrowForceBf16(const TensorToNarrow& tensor, NodeColumns& node) {
  node.columns.Rise(tensor.dtypes, IsTunable(tensor.original) ? kBF16 : tensor.original,
                    tensor.forbidden);
}
"""),
        Insert("src/precision/resolve/modes.cc", "     .narrow = NarrowAllowFp32ToBf16},", """
    {.name = "force_bf16",
     .v2_name = "bf16",
     .meaning = "bfloat16 wherever the operator has it",
     .rule = "rise to BF16",
     .needs_bfloat16 = true,
     .to_bfloat16 = Lowering::kAlways,
     .forbidden = ForbiddenDType{DType::kFloat16, false},
     .narrow = NarrowForceBf16},"""),
        Insert("tests/precision/resolve/modes_test.cc", 'NameCase{"force_fp16", "fp16", "force_fp16", false},',
               '\n        NameCase{"force_bf16", "bf16", "force_bf16", true},'),
        Insert("tests/precision/resolve/modes_test.cc", "allow_mix_precision_bf16, allow_fp32_to_bf16", ", force_bf16"),
        Insert("tests/precision/resolve/modes_test.cc", "origin, mixed_float16, mixed_bfloat16,", " bf16,"),
        Insert("tests/precision/resolve/truth_table_rows.h", "inline const std::vector<Row> kRows = {",
               '\n    {"ForceBf16_F32", {"force_bf16"}, kAnyPolicy, Kind::kBoth, "F32",'
               '\n     "CPU F32 F32 BF16 BF16 BF16 BF16"},'),
    ),
    golden=("docs/reference/modes.md",),
    also_compile=("tests/precision/resolve/truth_table_test.cc", "tests/precision/resolve/modes_document_test.cc"),
    proofs=(Proof("precision_modes_test", updates=True), Proof("precision_truth_table_test", "*ForceBf16*"),
            Proof("search_space_test")),
)

MODES_ONLY_H = beside("search/strategies/random.cc", "modes_only.h")

STRATEGY = Kind(
    row="search strategy",
    edits=(
        New(MODES_ONLY_H, """// Proposes each mode with nothing kept.
#pragma once

#include <memory>

#include "search/strategies/strategy.h"

namespace halftone {

std::unique_ptr<SearchStrategy> MakeModesOnlyStrategy(const SearchSpace& space,
                                                      const StrategyOptions& options);

}  // namespace halftone
"""),
        New(beside("search/strategies/random.cc", "modes_only.cc"), f'#include "{MODES_ONLY_H}"\n' + """

#include "search/space/space_point.h"

namespace halftone {
namespace {

class ModesOnlyStrategy : public SearchStrategy {
 public:
  explicit ModesOnlyStrategy(const SearchSpace& space) : space_(space) {}

  std::vector<Candidate> Suggest(std::size_t max_count) override {
    std::vector<Candidate> candidates;
    while (candidates.size() < max_count && next_ < space_.modes.size()) {
      SpacePoint point;
      point.mode = next_++;
      candidates.push_back(CandidateAt(space_, point));
    }
    return candidates;
  }

  void Update(std::span<const Trial> /*finished*/) override {}  // outcomes do not matter

  [[nodiscard]] std::optional<Forecast> forecast() const override {
    return Forecast{.work_plan = "each mode", .most_plans = space_.modes.size()};
  }

 private:
  SearchSpace space_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<SearchStrategy> MakeModesOnlyStrategy(const SearchSpace& space,
                                                      const StrategyOptions& /*options*/) {
  return std::make_unique<ModesOnlyStrategy>(space);
}

}  // namespace halftone
"""),
        Insert("search/strategies/strategy_table.cc", "#include <fmt/format.h>\n", f'\n#include "{MODES_ONLY_H}"'),
        Insert("search/strategies/strategy_table.cc", "constexpr StrategyRow kStrategies[] = {",
               '\n    {"modes_only", "each mode with nothing kept", MakeModesOnlyStrategy},'),
        Listed("search/CMakeLists.txt", "random.cc", "modes_only.cc"),
        Insert("docs/internals/search.md", "| `random` | the global modes, then mode and implementation modes uniformly, the number "
               "of kept nodes log-uniformly | until the space is exhausted |",
               "\n| `modes_only` | each mode with nothing kept | M |"),
    ),
    golden=("tests/golden/cli/help_tune_all.txt",),
    proofs=(Proof("search_strategy_test", "*modes_only*"),),
)

METRIC = Kind(
    row="metric",
    edits=(
        Insert("src/accuracy/metrics.cc", "double NoisePowerOfDb(double db) {\n  return std::pow(10.0, -db / 10);\n}\n", """
// The largest error of an element over the largest magnitude of the outputs; 0 where both are 0.
std::optional<double> RelativeMaximum(const SampleView& sample) {
  double power = 0;
  double error = 0;
  for (const OutputSums& sums : sample.sums) {
    power = std::max(power, sums.reference_power);
    error = std::max(error, sums.max_abs_error);
  }
  return sample.sums.empty() ? std::nullopt
                             : std::optional(power > 0 ? error / std::sqrt(power) : 0.0);
}
"""),
        Insert("src/accuracy/metrics.cc", "     .of_discrete = true},", """
    {"relative_max", "largest error over the norm of the outputs", Better::kLower, false,
     RelativeMaximum},"""),
        Insert("docs/internals/measuring.md", "| `max_abs` | largest difference of an element that is not set apart | lower |",
               "\n| `relative_max` | largest error over the norm of the outputs | lower |"),
    ),
    golden=("tests/golden/report/front.csv", "tests/golden/cli/help_tune_all.txt"),
    proofs=(Proof("accuracy_metrics_test"), Proof("accuracy_user_metric_test", "ChooseMetricTest.*")),
)

REPORT_FORMAT = Kind(
    row="report format",
    edits=(
        New(beside("src/report/front_csv.cc", "verdict_text.cc"), """#include "src/report/formats.h"
#include "src/report/front_rows.h"

namespace halftone {

std::string FormatVerdict(const TuneSummary& summary) {
  return summary.outcome.verdict.sentence + "\\n";
}

}  // namespace halftone
"""),
        Listed("src/report/CMakeLists.txt", "front_csv.cc", "verdict_text.cc"),
        Insert("src/report/formats.h", "std::string FormatJUnit(const TuneSummary& summary);",
               "\nstd::string FormatVerdict(const TuneSummary& summary);"),
        Insert("src/report/formats.cc", '{"csv", "front.csv", "the front, one row a point", FormatFrontCsv},',
               '\n    {"verdict", "verdict.txt", "the verdict as one line", FormatVerdict},'),
        Insert("docs/guide/reading_results.md", "| `front.csv` | spreadsheets, one row a point |",
               "\n| `verdict.txt` | one line for a log |"),
    ),
    golden=("tests/golden/report/verdict.txt", "tests/golden/cli/help_tune.txt", "tests/golden/cli/help_tune_all.txt"),
    proofs=(Proof("report_formats_test", updates=True),),
)

COMMAND = Kind(
    row="command",
    edits=(
        New(beside("src/cli/bank_command.cc", "modes_command.cc"), """#include <CLI/CLI.hpp>

#include "src/cli/command.h"
#include "src/cli/terminal.h"

namespace halftone {

void DefineModesCommand(CLI::App& app, int& /*exit_code*/) {
  app.final_callback([] { PrintLine("see --precision_mode of halftone run --help"); });
}

}  // namespace halftone
"""),
        Listed("src/cli/CMakeLists.txt", "bank_command.cc", "modes_command.cc"),
        Insert("src/cli/command.h", "void DefineBankCommand(CLI::App& app, int& exit_code);",
               "\nvoid DefineModesCommand(CLI::App& app, int& exit_code);"),
        Insert("src/cli/main.cc", "constexpr CommandRow kCommands[] = {",
               '\n    {"modes", "Say where precision modes are described", DefineModesCommand},'),
        Insert("tests/cli/cli_test.cc", 'HelpCase{"help", {"--help"}},',
               '\n                                           HelpCase{"help_modes", {"modes", "--help"}},'),
    ),
    golden=("tests/golden/cli/help.txt", "tests/golden/cli/help_modes.txt"),
    proofs=(Proof("cli_test", "*HelpTest*", updates=True),),
)

KINDS = (OPERATOR, KERNEL, TILE, INSTRUCTION_SET, FORMAT, MODE, STRATEGY, METRIC, REPORT_FORMAT, COMMAND)
