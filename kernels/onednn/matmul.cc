#include "kernels/onednn/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kernels/gemm/chunks.h"
#include "kernels/gemm/matrix_call.h"
#include "kernels/onednn/finish.h"
#include "kernels/onednn/library.h"
#include "kernels/onednn/library_limits.h"
#include "kernels/onednn/matmul_blocks.h"
#include "kernels/packed_weights.h"
#include "kernels/tile/half_rows.h"
#include "src/ir/fused_operands.h"

namespace halftone {
namespace {

using Description = dnnl::matmul::primitive_desc;
using Layout = dnnl::memory::desc;

constexpr std::int64_t kAlignment = 64;
// Fewest rows for oneDNN: with fewer, halftone's kernels, which read B once, were faster on
// bench/shapes/gemm.txt.
constexpr std::int64_t kRowsOfTheLibrary = 16;

constexpr std::int64_t RoundUp(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

struct Program {
  MatMulBlock block;
  dnnl::matmul primitive;
  Layout a, y, scratchpad;
  dnnl::memory b;
  dnnl::memory bias;
};

struct LibraryMatMulState : ConstantsState {
  explicit LibraryMatMulState(const KernelQuery& query)
      : ConstantsState(query), call(MatrixCallOf(query)) {}

  MatrixCall call;
  std::vector<Program> programs;
  std::int64_t scratchpad_bytes = 0;
  std::int64_t block_bytes = 0;  // of a block that is computed aside
  int max_chunks = 1;
};

std::int64_t ElementBytes(DType dtype) {
  return static_cast<std::int64_t>(SizeOf(dtype));
}

// Operations of the product, or their equivalent of waiting for B (kernels/gemm/packed.cc).
double FlopsOf(const MatrixCall& call) {
  return std::max(2.0 * static_cast<double>(call.m * call.n) * static_cast<double>(call.k),
                  8.0 * static_cast<double>(call.n * call.k * ElementBytes(call.dtype)));
}

std::vector<MatMulBlock> BlocksOf(const MatrixCall& call) {
  return MatMulBlocksOf(call.m, call.n, FlopsOf(call));
}

DType ResultOfLibrary(const MatrixCall& call) {
  return LibraryResultOf(call.epilogue, call.result_dtype);
}

Description Describe(const MatrixCall& call, const MatMulBlock& block) {
  const auto type = LibraryTypeOf(call.dtype);
  const Layout a({block.rows, call.k}, type, {block.rows == 1 ? call.k : call.a_row, 1});
  const Layout b({call.k, block.columns}, type, dnnl::memory::format_tag::any);
  const Layout y({block.rows, block.columns}, LibraryTypeOf(ResultOfLibrary(call)),
                 dnnl::memory::format_tag::ab);
  if (!call.has_bias) {
    return {{a, b, y}, LibraryAttributes(), LibraryEngine()};
  }
  const Layout bias({1, block.columns}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab);
  return {{a, b, bias, y}, LibraryAttributes(), LibraryEngine()};
}

std::string_view RefusalOfOperands(const KernelQuery& query) {
  const DType dtype = query.inputs.at(0)->dtype;
  const DType result = query.outputs.at(0)->dtype;
  if (query.Constant(1) == nullptr) {
    return "B is not constant";
  }
  if (query.Input(2) != nullptr && query.Constant(2) == nullptr) {
    return "C is not constant";
  }
  if (result != DType::kFloat32 && result != dtype) {
    return "the result has a third dtype";
  }
  return "";
}

std::string_view RefusalOfCall(const MatrixCall& call) {
  if (call.m == 0 || call.n == 0 || call.k == 0 || call.batches() == 0) {
    return "there is nothing to sum";
  }
  if (call.batches() > 1) {
    return "B differs between batches, or A is shared by them";
  }
  if (call.a_step != 1) {
    return "A is transposed";
  }
  if (call.has_bias && call.bias_row != 0) {
    return "C differs between rows";
  }
  if (call.alpha != 1.0F && call.dtype != DType::kFloat32) {
    return "alpha is not 1";
  }
  return RefusalOfExtents(call);
}

// The columns of B that a block needs, times alpha, in the layout that oneDNN wants.
dnnl::memory PackedB(const LibraryMatMulState& state, const MatMulBlock& block,
                     const Layout& wanted) {
  const MatrixCall& call = state.call;
  const auto* source = static_cast<const std::byte*>(state.constants.Input(KernelArgs{}, 1)) +
                       block.first_column * call.b_column * ElementBytes(call.dtype);
  const Layout plain({call.k, block.columns}, LibraryTypeOf(call.dtype),
                     {call.b_step, call.b_column});
  if (call.alpha == 1.0F) {
    return Relaid(plain, source, wanted);
  }
  std::vector<float> scaled(static_cast<std::size_t>(call.k * block.columns));
  for (std::int64_t k = 0; k < call.k; ++k) {
    for (std::int64_t j = 0; j < block.columns; ++j) {
      scaled[static_cast<std::size_t>(k * block.columns + j)] =
          call.alpha * reinterpret_cast<const float*>(source)[k * call.b_step + j * call.b_column];
    }
  }
  return Relaid({{call.k, block.columns}, LibraryTypeOf(call.dtype), {block.columns, 1}},
                scaled.data(), wanted);
}

// beta * C for the columns of a block.
dnnl::memory BiasOf(const LibraryMatMulState& state, const MatMulBlock& block) {
  const MatrixCall& call = state.call;
  std::vector<float> all(static_cast<std::size_t>(call.bias_elements));
  WidenRow(call.result_dtype, state.constants.Input(KernelArgs{}, 2), all.data(),
           call.bias_elements);
  dnnl::memory bias(
      {{1, block.columns}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab},
      LibraryEngine());
  auto* target = static_cast<float*>(bias.get_data_handle());
  for (std::int64_t j = 0; j < block.columns; ++j) {
    const std::int64_t column = (block.first_column + j) * call.bias_column;
    target[j] = call.beta * all[static_cast<std::size_t>(column)];
  }
  return bias;
}

std::string FormOfB(const MatrixCall& call, const MatMulBlock& block, const Layout& wanted) {
  return fmt::format("library columns {}+{} times {} of strides {} {} as {}", block.first_column,
                     block.columns, call.alpha, call.b_step, call.b_column, KeyOf(wanted));
}

Program ProgramOf(const LibraryMatMulState& state, const MatMulBlock& block,
                  const PackedPlace& b_place) {
  const Description description = Describe(state.call, block);
  Program program{.block = block,
                  .primitive = dnnl::matmul(description),
                  .a = description.src_desc(),
                  .y = description.dst_desc(),
                  .scratchpad = description.scratchpad_desc()};
  const Layout wanted = description.weights_desc();
  for (const Program& other : state.programs) {  // blocks of rows share all of B
    if (other.block.first_column == block.first_column && other.b.get_desc() == wanted) {
      program.b = other.b;
    }
  }
  if (!program.b) {
    program.b = PackOnce(
        b_place, [&] { return FormOfB(state.call, block, wanted); },
        [&] { return PackedB(state, block, wanted); });
  }
  if (state.call.has_bias) {
    program.bias = BiasOf(state, block);
  }
  return program;
}

// oneDNN writes dense blocks only: a block that does not span Y is computed aside, and so is one
// whose sums are rounded behind the epilogue.
bool IsAside(const MatrixCall& call, const MatMulBlock& block) {
  return (block.rows > 1 && block.columns < call.n) || ResultOfLibrary(call) != call.result_dtype;
}

// The epilogue from oneDNN's result to Y, row by row where the rows of Y are not contiguous.
void FinishBlock(const LibraryMatMulState& state, const MatMulBlock& block, const std::byte* result,
                 std::byte* y, const std::byte* residual) {
  const MatrixCall& call = state.call;
  const bool dense = block.rows == 1 || block.columns == call.n;
  const std::int64_t rows = dense ? 1 : block.rows;
  const std::int64_t count = dense ? block.rows * block.columns : block.columns;
  const std::int64_t element = ElementBytes(call.result_dtype);
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t at = ((block.first_row + i) * call.n + block.first_column) * element;
    RunEpilogue({.source_dtype = ResultOfLibrary(call),
                 .source = result + i * count * ElementBytes(ResultOfLibrary(call)),
                 .dtype = call.result_dtype,
                 .target = y + at,
                 .residual = residual != nullptr ? residual + at : nullptr,
                 .count = count,
                 .slopes = call.epilogue.SlopesFrom(block.first_column),
                 .row = block.columns},
                call.epilogue);
  }
}

// The tensors of one run().
struct Tensors {
  const std::byte* a;
  const std::byte* residual;  // null: none
  std::byte* y;
};

void RunBlock(const LibraryMatMulState& state, const Program& program, const Tensors& tensors,
              std::byte* scratch) {
  const MatrixCall& call = state.call;
  const MatMulBlock& block = program.block;
  const std::int64_t element = ElementBytes(call.result_dtype);
  const std::byte* rows = tensors.a + block.first_row * call.a_row * ElementBytes(call.dtype);
  std::byte* target = tensors.y + (block.first_row * call.n + block.first_column) * element;
  std::byte* result = IsAside(call, block) ? scratch + state.scratchpad_bytes : target;
  const LibraryOperand operands[] = {
      {.name = DNNL_ARG_SRC, .layout = &program.a, .data = const_cast<std::byte*>(rows)},
      {.name = DNNL_ARG_WEIGHTS, .prepared = &program.b},
      {.name = DNNL_ARG_DST, .layout = &program.y, .data = result},
      {.name = DNNL_ARG_SCRATCHPAD, .layout = &program.scratchpad, .data = scratch},
      {.name = DNNL_ARG_BIAS, .prepared = &program.bias}};
  CallLibrary(program.primitive, std::span(operands).first(call.has_bias ? 5 : 4));
  if (result != target || !call.epilogue.IsEmpty()) {
    FinishBlock(state, block, result, tensors.y, tensors.residual);
  }
}

}  // namespace

std::string_view LibraryMatMulRefusal(const KernelQuery& query) {
  if (const std::string_view reason = RefusalOfOperands(query); !reason.empty()) {
    return reason;
  }
  const MatrixCall call = MatrixCallOf(query);
  if (const std::string_view reason = RefusalOfCall(call); !reason.empty()) {
    return reason;
  }
  const OneLibraryThread one;
  for (const MatMulBlock& block : BlocksOf(call)) {
    if (const std::string_view reason = RefusalOfPrimitive([&] { return Describe(call, block); });
        !reason.empty()) {
      return reason;
    }
  }
  return "";
}

std::string_view LibraryMatMulSlower(const KernelQuery& query) {
  return MatrixCallOf(query).m < kRowsOfTheLibrary ? "there are few rows" : "";
}

namespace {

std::unique_ptr<KernelState> StateOf(const KernelQuery& query) {
  auto state = std::make_unique<LibraryMatMulState>(query);
  state->max_chunks = MaxChunks();
  const OneLibraryThread one;
  for (const MatMulBlock& block : BlocksOf(state->call)) {
    state->programs.push_back(ProgramOf(*state, block, PlaceOfConstant(query, 1)));
    const Program& program = state->programs.back();
    state->scratchpad_bytes = std::max(
        state->scratchpad_bytes, RoundUp(static_cast<std::int64_t>(program.scratchpad.get_size())));
    if (IsAside(state->call, block)) {
      state->block_bytes = std::max(
          state->block_bytes,
          RoundUp(block.rows * block.columns * ElementBytes(ResultOfLibrary(state->call))));
    }
  }
  state->constants.Release(1);
  state->constants.Release(2);
  return state;
}

}  // namespace

std::unique_ptr<KernelState> PrepareLibraryMatMul(const KernelQuery& query) {
  return WithLibraryErrors([&] { return StateOf(query); });
}

std::size_t LibraryMatMulScratchBytes(const KernelState& state) {
  const auto& matmul = static_cast<const LibraryMatMulState&>(state);
  return static_cast<std::size_t>((matmul.scratchpad_bytes + matmul.block_bytes) *
                                  matmul.max_chunks);
}

void RunLibraryMatMul(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const LibraryMatMulState&>(*args.state);
  const Tensors tensors{
      .a = static_cast<const std::byte*>(state.constants.Input(args, 0)),
      .residual = static_cast<const std::byte*>(state.constants.Input(args, kResidualOperand)),
      .y = static_cast<std::byte*>(args.outputs[0])};
  // Blocks were cut so that each is worth a thread.
  ForEachChunk(static_cast<std::int64_t>(state.programs.size()), 1, state.max_chunks,
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 const OneLibraryThread one;
                 for (std::int64_t i = begin; i < end; ++i) {
                   RunBlock(state, state.programs[static_cast<std::size_t>(i)], tensors,
                            args.scratch + chunk * (state.scratchpad_bytes + state.block_bytes));
                 }
               });
}

}  // namespace halftone
