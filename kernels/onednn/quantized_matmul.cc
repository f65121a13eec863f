#include "kernels/onednn/quantized_matmul.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/gemm/chunks.h"
#include "kernels/onednn/byte_terms.h"
#include "kernels/onednn/library.h"
#include "kernels/onednn/library_limits.h"
#include "kernels/onednn/matmul_blocks.h"
#include "kernels/packed_weights.h"
#include "kernels/quantized/byte_result.h"

namespace halftone {
namespace {

using Description = dnnl::matmul::primitive_desc;
using Layout = dnnl::memory::desc;
using Type = dnnl::memory::data_type;

struct Program {
  MatMulBlock block;
  dnnl::matmul primitive;
  Layout a, sums, scratchpad;
  dnnl::memory b;
};

struct LibraryByteMatMulState final : KernelState {
  explicit LibraryByteMatMulState(const KernelQuery& query)
      : call(QuantizedMatrixCall(query)),
        places(PlacesOf(query.op)),
        constants(query),
        a_dtype(query.Input(places.a)->dtype),
        y_dtype(query.outputs.at(0)->dtype),
        epilogue(query) {}

  MatrixCall call;
  OperandPlaces places;
  ConstantInputs constants;
  DType a_dtype;
  DType y_dtype;
  ByteEpilogueState epilogue;
  std::vector<Program> programs;
  ByteTerms terms;
  std::int64_t scratchpad_bytes = 0;
  std::int64_t sums_bytes = 0;
  int max_chunks = 1;
};

std::vector<MatMulBlock> BlocksOf(const MatrixCall& call) {
  // Work as float32 operations: a quarter of the products, or the wait for B at 12 GB/s.
  const double flops =
      std::max(0.5 * static_cast<double>(call.m * call.n) * static_cast<double>(call.k),
               8.0 * static_cast<double>(call.n * call.k));
  return MatMulBlocksOf(call.m, call.n, flops);
}

Description Describe(const MatrixCall& call, DType a_dtype, const MatMulBlock& block) {
  const Layout a({block.rows, call.k}, a_dtype == DType::kInt8 ? Type::s8 : Type::u8,
                 {block.rows == 1 ? call.k : call.a_row, 1});
  const Layout b({call.k, block.columns}, Type::s8, dnnl::memory::format_tag::any);
  const Layout sums({block.rows, block.columns}, Type::s32, dnnl::memory::format_tag::ab);
  return {{a, b, sums}, LibraryAttributes(), LibraryEngine()};
}

// The columns of B that a block reads, as they lie in B.
Layout PlainColumns(const MatrixCall& call, const MatMulBlock& block) {
  return {{call.k, block.columns}, Type::s8, {call.n, 1}};
}

// Sums of the columns of B.
std::vector<std::int32_t> ColumnSums(const MatrixCall& call, const Tensor& b) {
  std::vector<std::int32_t> sums(static_cast<std::size_t>(call.n));
  for (std::int64_t i = 0; i < b.ElementCount(); ++i) {
    sums[static_cast<std::size_t>(i % call.n)] +=
        b.values<std::int8_t>()[static_cast<std::size_t>(i)];
  }
  return sums;
}

void RunBlock(const LibraryByteMatMulState& state, const Program& program, const std::byte* a,
              std::byte* y, const MaybeByteEpilogue& epilogue, std::byte* scratch) {
  const MatrixCall& call = state.call;
  const MatMulBlock& block = program.block;
  const std::int64_t element = block.first_row * call.n + block.first_column;
  std::byte* sums = scratch + state.scratchpad_bytes;
  const LibraryOperand operands[] = {
      {.name = DNNL_ARG_SRC,
       .layout = &program.a,
       .data = const_cast<std::byte*>(a + block.first_row * call.a_row)},
      {.name = DNNL_ARG_WEIGHTS, .prepared = &program.b},
      {.name = DNNL_ARG_DST, .layout = &program.sums, .data = sums},
      {.name = DNNL_ARG_SCRATCHPAD, .layout = &program.scratchpad, .data = scratch}};
  CallLibrary(program.primitive, operands);
  StoreByteTile(reinterpret_cast<const std::int32_t*>(sums),
                {.y = y + element * static_cast<std::int64_t>(SizeOf(state.y_dtype)),
                 .dtype = state.y_dtype,
                 .sums_stride = block.columns,
                 .row_stride = call.n,
                 .rows = static_cast<int>(block.rows),
                 .columns = static_cast<int>(block.columns),
                 .offset = state.terms.offset.data() + block.first_column,
                 .multiplier = state.terms.multiplier.data() + block.first_column,
                 .y_zero = state.terms.y_zero,
                 .epilogue = Later(epilogue, element)});
}

}  // namespace

std::string_view LibraryByteMatMulRefusal(const KernelQuery& query) {
  const OperandPlaces places = PlacesOf(query.op);
  if (const std::string_view reason = RefusalOfByteOperands(query); !reason.empty()) {
    return reason;
  }
  const MatrixCall call = QuantizedMatrixCall(query);
  if (call.m == 0 || call.n == 0 || call.k == 0 || call.batches() == 0) {
    return "there is nothing to sum";
  }
  if (call.batches() > 1) {
    return "B differs between batches, or A is shared by them";
  }
  if (const std::string_view reason = RefusalOfExtents(call); !reason.empty()) {
    return reason;
  }
  if (const std::string_view reason = RefusalOfScales(query, call.n); !reason.empty()) {
    return reason;
  }
  const OneLibraryThread one;
  for (const MatMulBlock& block : BlocksOf(call)) {
    const auto describe = [&] { return Describe(call, query.Input(places.a)->dtype, block); };
    if (const std::string_view reason = RefusalOfPrimitive(describe); !reason.empty()) {
      return reason;
    }
    if (const std::string_view reason =
            RefusalOfRelaying(PlainColumns(call, block), describe().weights_desc());
        !reason.empty()) {
      return reason;
    }
  }
  return "";
}

namespace {

std::unique_ptr<KernelState> StateOf(const KernelQuery& query) {
  auto state = std::make_unique<LibraryByteMatMulState>(query);
  const MatrixCall& call = state->call;
  state->max_chunks = MaxChunks();
  const Tensor& b = *query.Constant(state->places.b);
  state->terms = ByteTermsOf(query, call.k, call.n, ColumnSums(call, b));
  const OneLibraryThread one;
  for (const MatMulBlock& block : BlocksOf(call)) {
    const Description description = Describe(call, state->a_dtype, block);
    Program program{.block = block,
                    .primitive = dnnl::matmul(description),
                    .a = description.src_desc(),
                    .sums = description.dst_desc(),
                    .scratchpad = description.scratchpad_desc()};
    for (const Program& other : state->programs) {  // blocks of rows share all of B
      if (other.block.first_column == block.first_column &&
          other.b.get_desc() == description.weights_desc()) {
        program.b = other.b;
      }
    }
    if (!program.b) {
      const Layout plain = PlainColumns(call, block);
      const Layout wanted = description.weights_desc();
      program.b = PackOnce(
          PlaceOfConstant(query, state->places.b),
          [&] {
            return fmt::format("library columns {}+{} as {}", block.first_column, block.columns,
                               KeyOf(wanted));
          },
          [&] { return Relaid(plain, b.data() + block.first_column, wanted); });
    }
    state->scratchpad_bytes =
        std::max(state->scratchpad_bytes,
                 RoundUpToLibrary(static_cast<std::int64_t>(program.scratchpad.get_size())));
    // A vector behind the end, which the last row reads.
    state->sums_bytes = std::max(state->sums_bytes,
                                 RoundUpToLibrary(block.rows * block.columns *
                                                  static_cast<std::int64_t>(sizeof(std::int32_t))) +
                                     kLibraryAlignment);
    state->programs.push_back(std::move(program));
  }
  return state;
}

}  // namespace

std::unique_ptr<KernelState> PrepareLibraryByteMatMul(const KernelQuery& query) {
  return WithLibraryErrors([&] { return StateOf(query); });
}

std::size_t LibraryByteMatMulScratchBytes(const KernelState& state) {
  const auto& matmul = static_cast<const LibraryByteMatMulState&>(state);
  return static_cast<std::size_t>((matmul.scratchpad_bytes + matmul.sums_bytes) *
                                  matmul.max_chunks);
}

void RunLibraryByteMatMul(const KernelArgs& args) noexcept {
  const auto& state = static_cast<const LibraryByteMatMulState&>(*args.state);
  const auto* a = static_cast<const std::byte*>(state.constants.Input(args, state.places.a));
  auto* y = static_cast<std::byte*>(args.outputs[0]);
  const MaybeByteEpilogue epilogue = state.epilogue.Of(state.constants, args);
  ForEachChunk(static_cast<std::int64_t>(state.programs.size()), 1, state.max_chunks,
               [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                 const OneLibraryThread one;
                 for (std::int64_t i = begin; i < end; ++i) {
                   RunBlock(state, state.programs[static_cast<std::size_t>(i)], a, y, epilogue,
                            args.scratch + chunk * (state.scratchpad_bytes + state.sums_bytes));
                 }
               });
}

}  // namespace halftone
