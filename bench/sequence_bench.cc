// Recurrent operators, attention, Einsum, RoPE and transposed convolution at the shapes of real
// networks: an operation is a multiplication with its addition, counted as two.
#include <cmath>

#include "bench/benches.h"
#include "bench/kernel_bench.h"

namespace halftone {
namespace {

struct RecurrentShape {
  const char* name;
  OpKind op;
  std::int64_t gates, steps, batch, input, hidden;
};

void RegisterRecurrent(const RecurrentShape& s) {
  const std::int64_t width = s.gates * s.hidden;
  RegisterKernelBench(
      {.name = std::string("sequence/") + s.name,
       .op = s.op,
       .inputs =
           {{s.steps, s.batch, s.input}, {1, width, s.input}, {1, width, s.hidden}, {1, 2 * width}},
       .constant = {false, true, true, true},
       .operations = 2.0 * static_cast<double>(s.steps * s.batch * width * (s.input + s.hidden)),
       // The spread of trained weights: larger ones make the states chaotic, and no dtype then
       // resembles another.
       .spread = 1 / std::sqrt(static_cast<double>(s.hidden))});
}

void RegisterAttention(const std::string& name, std::int64_t heads, std::int64_t length,
                       std::int64_t size) {
  const Shape operand{1, heads, length, size};
  RegisterKernelBench({.name = "sequence/attention/" + name,
                       .op = OpKind::kAttention,
                       .inputs = {operand, operand, operand},
                       .constant = {false, false, false},
                       .operations = 4.0 * static_cast<double>(heads * length * length * size)});
}

// Operands in the layout of fuse_attention: rows, and the mask of a Softmax.
void RegisterMaskedAttention(const std::string& name, std::int64_t heads, std::int64_t length,
                             std::int64_t size) {
  const Shape rows{1, length, heads * size};
  KernelBench bench{.name = "sequence/attention/" + name,
                    .op = OpKind::kAttention,
                    .inputs = {rows, rows, rows, {1, 1, 1, length}},
                    .constant = {false, false, false, false},
                    .operations = 4.0 * static_cast<double>(heads * length * length * size)};
  bench.attributes.Set("q_num_heads", heads);
  bench.attributes.Set("kv_num_heads", heads);
  bench.attributes.Set("scale", 1 / std::sqrt(static_cast<float>(size)));
  bench.fusion.attention = StepAttention{.fill = 0};
  RegisterKernelBench(bench);
}

void RegisterRope(const std::string& name, std::int64_t heads, std::int64_t length,
                  std::int64_t size, bool interleaved) {
  const Shape angles{1, length, size / 2};
  KernelBench bench{.name = "sequence/rope/" + name,
                    .op = OpKind::kRotaryEmbedding,
                    .inputs = {{1, heads, length, size}, angles, angles},
                    .constant = {false, true, true},
                    .operations = 3.0 * static_cast<double>(heads * length * size)};
  bench.attributes.Set("interleaved", std::int64_t{interleaved ? 1 : 0});
  RegisterKernelBench(bench);
}

// Axes of one tap are not strided.
void RegisterConvTranspose(const std::string& name, const Shape& x, const Shape& w,
                           std::int64_t stride) {
  KernelBench bench{
      .name = "sequence/conv_transpose/" + name,
      .op = OpKind::kConvTranspose,
      .inputs = {x, w},
      .constant = {false, true},
      .operations = 2.0 * static_cast<double>(x.ElementCount(2, 4) * w.ElementCount())};
  bench.attributes.Set("strides", std::vector<std::int64_t>{w[2] == 1 ? 1 : stride, stride});
  RegisterKernelBench(bench);
}

void RegisterEinsum(const std::string& name, const std::string& equation,
                    const std::vector<Shape>& operands, double products) {
  KernelBench bench{.name = "sequence/einsum/" + name,
                    .op = OpKind::kEinsum,
                    .inputs = operands,
                    .constant = std::vector<bool>(operands.size(), false),
                    .operations = 2.0 * products};
  bench.attributes.Set("equation", equation);
  RegisterKernelBench(bench);
}

}  // namespace

void RegisterSequenceBenches() {
  constexpr RecurrentShape kShapes[] = {
      {"lstm/dtln", OpKind::kLstm, 4, 1, 1, 257, 128},
      {"lstm/nnsplit", OpKind::kLstm, 4, 100, 1, 128, 128},
      {"lstm/batch16", OpKind::kLstm, 4, 32, 16, 256, 256},
      {"gru/gtcrn", OpKind::kGru, 3, 33, 1, 8, 16},
      {"gru/wide", OpKind::kGru, 3, 32, 8, 512, 512},
  };
  for (const RecurrentShape& shape : kShapes) {
    RegisterRecurrent(shape);
  }
  RegisterAttention("12x128x64", 12, 128, 64);
  RegisterAttention("8x512x64", 8, 512, 64);
  RegisterMaskedAttention("12x128x64/masked", 12, 128, 64);
  RegisterMaskedAttention("12x512x64/masked", 12, 512, 64);
  constexpr double kScores = 8.0 * 256 * 256 * 64;
  RegisterEinsum("bhid,bhjd->bhij", "bhid,bhjd->bhij", {{1, 8, 256, 64}, {1, 8, 256, 64}}, kScores);
  RegisterEinsum("bhij,bhjd->bhid", "bhij,bhjd->bhid", {{1, 8, 256, 256}, {1, 8, 256, 64}},
                 kScores);
  RegisterEinsum("bqhd,bkhd->bhqk", "bqhd,bkhd->bhqk", {{1, 256, 8, 64}, {1, 256, 8, 64}}, kScores);
  RegisterEinsum("bhqk,bkhd->bqhd", "bhqk,bkhd->bqhd", {{1, 8, 256, 256}, {1, 256, 8, 64}},
                 kScores);
  RegisterEinsum("bij,bj->bi", "bij,bj->bi", {{8, 256, 512}, {8, 512}}, 8.0 * 256 * 512);
  RegisterEinsum("ij,ij->i", "ij,ij->i", {{4096, 64}, {4096, 64}}, 4096.0 * 64);
  RegisterEinsum("abc->ac", "abc->ac", {{16, 128, 256}}, 16.0 * 128 * 256);
  RegisterEinsum("ab,bc,cd->ad", "ab,bc,cd->ad", {{8, 64}, {64, 32}, {32, 16}}, 8.0 * 32 * 80);
  RegisterRope("12x128x64", 12, 128, 64, false);
  RegisterRope("12x128x64/neighbours", 12, 128, 64, true);
  RegisterConvTranspose("ppocr/24x80x80", {1, 24, 80, 80}, {24, 24, 2, 2}, 2);
  RegisterConvTranspose("ppocr/24x80x80/one_channel", {1, 24, 80, 80}, {24, 1, 2, 2}, 2);
  RegisterConvTranspose("unet/128x28x28", {1, 128, 28, 28}, {128, 64, 3, 3}, 2);
  RegisterConvTranspose("unet/256x8x8", {1, 256, 8, 8}, {256, 128, 3, 3}, 2);
  RegisterConvTranspose("vocoder/64x800", {1, 64, 1, 800}, {64, 32, 1, 16}, 8);
  RegisterConvTranspose("vocoder/128x100", {1, 128, 1, 100}, {128, 64, 1, 16}, 8);
  RegisterConvTranspose("generator/512x4x4", {1, 512, 4, 4}, {512, 256, 4, 4}, 2);
  RegisterConvTranspose("generator/256x8x8", {1, 256, 8, 8}, {256, 128, 4, 4}, 2);
  RegisterConvTranspose("generator/128x16x16", {1, 128, 16, 16}, {128, 64, 4, 4}, 2);
  RegisterConvTranspose("generator/64x32x32", {1, 64, 32, 32}, {64, 32, 4, 4}, 2);
  RegisterConvTranspose("generator/32x64x64", {1, 32, 64, 64}, {32, 3, 4, 4}, 2);
}

}  // namespace halftone
