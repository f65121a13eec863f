#include "kernels/kernel_version.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "src/ir/op_table.h"

namespace halftone {
namespace {

// {"conv.f32.onednn", 2, "refuses groups"}, sorted by name.
constexpr std::array kVersions = {
    KernelVersionRow{"attention.bf16.avx512_bf16.fast", 3, "asks for weights ahead"},
    KernelVersionRow{"attention.bf16.fast", 4, "asks for weights ahead"},
    KernelVersionRow{"attention.bf16.precise", 4, "asks for weights ahead"},
    KernelVersionRow{"attention.f16.avx512_bf16.fast", 3, "asks for weights ahead"},
    KernelVersionRow{"attention.f16.precise", 4, "asks for weights ahead"},
    KernelVersionRow{"attention.f32.fast", 4, "asks for weights ahead"},
    KernelVersionRow{"attention.f32.precise", 4, "asks for weights ahead"},
    KernelVersionRow{"average_pool.highway", 3, "joins rows in place"},
    KernelVersionRow{"binary.add.vector", 2, "results past the caches without a wait"},
    KernelVersionRow{"binary.div.vector", 2, "results past the caches without a wait"},
    KernelVersionRow{"binary.max.vector", 2, "results past the caches without a wait"},
    KernelVersionRow{"binary.min.vector", 2, "results past the caches without a wait"},
    KernelVersionRow{"binary.mod.loop", 2, "no floating types but float64"},
    KernelVersionRow{"binary.mul.vector", 2, "results past the caches without a wait"},
    KernelVersionRow{"binary.pow.product", 2, "exponents of another dtype"},
    KernelVersionRow{"binary.prelu.vector", 2, "results past the caches without a wait"},
    KernelVersionRow{"binary.sub.vector", 2, "results past the caches without a wait"},
    KernelVersionRow{"binary.where.copy", 2, "both branches read, in vectors"},
    KernelVersionRow{"center_crop_pad.any.portable", 2, "short runs by moves of their size"},
    KernelVersionRow{"compress.any.reference", 2, "short runs by moves of their size"},
    KernelVersionRow{"concat.any.portable", 2, "short runs by moves of their size"},
    KernelVersionRow{"conv.bf16.avx512_bf16", 4, "asks for weights ahead"},
    KernelVersionRow{"conv.bf16.avx512_bf16.channels_last", 4, "gathers rows of pixels together"},
    KernelVersionRow{"conv.bf16.highway", 5, "asks for weights ahead"},
    KernelVersionRow{"conv.bf16.highway.channels_last", 5, "gathers rows of pixels together"},
    KernelVersionRow{"conv.bf16.highway.depthwise", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.bf16.highway.depthwise_channels_last", 2,
                     "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.bf16.onednn", 4, "leaves small ones to others"},
    KernelVersionRow{"conv.f16.avx512_bf16.fast", 4, "asks for weights ahead"},
    KernelVersionRow{"conv.f16.avx512_bf16.fast_channels_last", 4,
                     "gathers rows of pixels together"},
    KernelVersionRow{"conv.f16.highway", 5, "asks for weights ahead"},
    KernelVersionRow{"conv.f16.highway.channels_last", 5, "gathers rows of pixels together"},
    KernelVersionRow{"conv.f16.highway.depthwise", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f16.highway.depthwise_channels_last", 2,
                     "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f16.onednn", 4, "leaves small ones to others"},
    KernelVersionRow{"conv.f16.onednn.direct", 4, "leaves small ones to others"},
    KernelVersionRow{"conv.f16.onednn.fast", 4, "leaves small ones to others"},
    KernelVersionRow{"conv.f16.onednn.winograd", 4, "leaves small ones to others"},
    KernelVersionRow{"conv.f32.highway", 5, "asks for weights ahead"},
    KernelVersionRow{"conv.f32.highway.channels_last", 5, "gathers rows of pixels together"},
    KernelVersionRow{"conv.f32.highway.depthwise", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f32.highway.depthwise_channels_last", 2,
                     "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f32.onednn", 4, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f32.onednn.direct", 4, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f32.onednn.winograd", 6, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv_integer.s8.avx512_vnni.channels_last", 3, "asks for weights ahead"},
    KernelVersionRow{"conv_integer.s8.highway.channels_last", 3,
                     "windows of a padded copy, 12 rows at once"},
    KernelVersionRow{"conv_transpose.bf16.highway", 3, "asks for weights ahead"},
    KernelVersionRow{"conv_transpose.bf16.highway.disjoint", 3, "asks for weights ahead"},
    KernelVersionRow{"conv_transpose.bf16.phases", 5, "gathers rows of pixels together"},
    KernelVersionRow{"conv_transpose.f16.highway", 3, "asks for weights ahead"},
    KernelVersionRow{"conv_transpose.f16.highway.disjoint", 3, "asks for weights ahead"},
    KernelVersionRow{"conv_transpose.f16.phases", 5, "gathers rows of pixels together"},
    KernelVersionRow{"conv_transpose.f32.highway", 3, "asks for weights ahead"},
    KernelVersionRow{"conv_transpose.f32.highway.disjoint", 3, "asks for weights ahead"},
    KernelVersionRow{"conv_transpose.f32.phases", 5, "gathers rows of pixels together"},
    KernelVersionRow{"depth_to_space.any.portable", 3,
                     "whole lines of far rows, short runs by moves of their size"},
    KernelVersionRow{"einsum.any.dots", 2, "short runs by moves of their size"},
    KernelVersionRow{"einsum.any.multiply", 2, "short runs by moves of their size"},
    KernelVersionRow{"einsum.any.steps", 2, "short runs by moves of their size"},
    KernelVersionRow{"einsum.any.transpose", 2, "short runs by moves of their size"},
    KernelVersionRow{"einsum.bf16.avx512_bf16", 3, "asks for weights ahead"},
    KernelVersionRow{"einsum.bf16.matmul", 3, "asks for weights ahead"},
    KernelVersionRow{"einsum.f16.avx512_bf16.fast", 3, "asks for weights ahead"},
    KernelVersionRow{"einsum.f16.matmul", 3, "asks for weights ahead"},
    KernelVersionRow{"einsum.f32.matmul", 3, "asks for weights ahead"},
    KernelVersionRow{"expand.any.portable", 2, "repeated rows in blocks"},
    KernelVersionRow{"gather_elements.any.portable", 2, "indices by runs, not one by one"},
    KernelVersionRow{"gemm.bf16.avx512_bf16", 6, "few rows read panels to their end"},
    KernelVersionRow{"gemm.bf16.highway", 8, "few rows read panels to their end"},
    KernelVersionRow{"gemm.bf16.highway.few_rows", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"gemm.bf16.onednn", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"gemm.f16.avx512_bf16.fast", 6, "few rows read panels to their end"},
    KernelVersionRow{"gemm.f16.highway", 8, "few rows read panels to their end"},
    KernelVersionRow{"gemm.f16.highway.few_rows", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"gemm.f32.highway", 8, "few rows read panels to their end"},
    KernelVersionRow{"gemm.f32.highway.few_rows", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"gemm.f32.onednn", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"global_average_pool.highway", 2, "sums lanes in pairs"},
    KernelVersionRow{"global_max_pool.highway", 2, "joins lanes in pairs"},
    KernelVersionRow{"grid_sample.any.reference", 2, "taps on one pixel are one"},
    KernelVersionRow{"gru.bf16.avx512_bf16", 4, "asks for weights ahead"},
    KernelVersionRow{"gru.bf16.highway", 5, "asks for weights ahead"},
    KernelVersionRow{"gru.f16.avx512_bf16.fast", 4, "asks for weights ahead"},
    KernelVersionRow{"gru.f16.highway", 5, "asks for weights ahead"},
    KernelVersionRow{"gru.f32.highway", 5, "asks for weights ahead"},
    KernelVersionRow{"lstm.bf16.avx512_bf16", 4, "asks for weights ahead"},
    KernelVersionRow{"lstm.bf16.highway", 5, "asks for weights ahead"},
    KernelVersionRow{"lstm.f16.avx512_bf16.fast", 4, "asks for weights ahead"},
    KernelVersionRow{"lstm.f16.highway", 5, "asks for weights ahead"},
    KernelVersionRow{"lstm.f32.highway", 5, "asks for weights ahead"},
    KernelVersionRow{"matmul.bf16.avx512_bf16", 6, "few rows read panels to their end"},
    KernelVersionRow{"matmul.bf16.highway", 8, "few rows read panels to their end"},
    KernelVersionRow{"matmul.bf16.highway.few_rows", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"matmul.bf16.onednn", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"matmul.f16.avx512_bf16.fast", 6, "few rows read panels to their end"},
    KernelVersionRow{"matmul.f16.highway", 8, "few rows read panels to their end"},
    KernelVersionRow{"matmul.f16.highway.few_rows", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"matmul.f32.highway", 8, "few rows read panels to their end"},
    KernelVersionRow{"matmul.f32.highway.few_rows", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"matmul.f32.onednn", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"matmul_integer.s8.avx512_vnni", 2, "asks for weights ahead"},
    KernelVersionRow{"matmul_integer.s8.highway", 3, "12 rows at once"},
    KernelVersionRow{"max_pool.highway", 3, "joins rows in place"},
    KernelVersionRow{"pad.any.portable", 2, "short runs by moves of their size"},
    KernelVersionRow{"qlinear_conv.s8.avx512_vnni.channels_last", 3, "asks for weights ahead"},
    KernelVersionRow{"qlinear_conv.s8.highway.channels_last", 3,
                     "windows of a padded copy, 12 rows at once"},
    KernelVersionRow{"qlinear_matmul.s8.avx512_vnni", 2, "asks for weights ahead"},
    KernelVersionRow{"qlinear_matmul.s8.highway", 3, "12 rows at once"},
    KernelVersionRow{"reduce.l1.fast", 3, "columns in blocks, short rows side by side"},
    KernelVersionRow{"reduce.l1.precise", 3,
                     "columns in blocks, infinite sums of columns, short rows side by side"},
    KernelVersionRow{"reduce.l2.fast", 3, "columns in blocks, short rows side by side"},
    KernelVersionRow{"reduce.l2.precise", 3,
                     "columns in blocks, infinite sums of columns, short rows side by side"},
    KernelVersionRow{"reduce.log_sum.fast", 2, "short rows side by side"},
    KernelVersionRow{"reduce.log_sum.precise", 2, "short rows side by side"},
    KernelVersionRow{"reduce.max.vector", 3,
                     "lanes in vectors, columns in blocks, short rows side by side"},
    KernelVersionRow{"reduce.mean.fast", 3, "columns in blocks, short rows side by side"},
    KernelVersionRow{"reduce.mean.precise", 3,
                     "columns in blocks, infinite sums of columns, short rows side by side"},
    KernelVersionRow{"reduce.min.vector", 3,
                     "lanes in vectors, columns in blocks, short rows side by side"},
    KernelVersionRow{"reduce.prod.vector", 3, "columns in blocks, short rows side by side"},
    KernelVersionRow{"reduce.sum.fast", 3, "columns in blocks, short rows side by side"},
    KernelVersionRow{"reduce.sum.precise", 3,
                     "columns in blocks, infinite sums of columns, short rows side by side"},
    KernelVersionRow{"reduce.sum_square.fast", 3, "columns in blocks, short rows side by side"},
    KernelVersionRow{"reduce.sum_square.precise", 3,
                     "columns in blocks, infinite sums of columns, short rows side by side"},
    KernelVersionRow{"resize_nearest.any.portable", 2, "short runs by moves of their size"},
    KernelVersionRow{"rnn.bf16.avx512_bf16", 4, "asks for weights ahead"},
    KernelVersionRow{"rnn.bf16.highway", 5, "asks for weights ahead"},
    KernelVersionRow{"rnn.f16.avx512_bf16.fast", 4, "asks for weights ahead"},
    KernelVersionRow{"rnn.f16.highway", 5, "asks for weights ahead"},
    KernelVersionRow{"rnn.f32.highway", 5, "asks for weights ahead"},
    KernelVersionRow{"roi_align.any.reference", 2, "places once for all channels"},
    KernelVersionRow{"slice.any.portable", 3,
                     "every second element in vectors, short runs by moves of their size"},
    KernelVersionRow{"softmax.log_softmax.fast", 2, "sums in pairs, split by columns"},
    KernelVersionRow{"softmax.log_softmax.precise", 2, "a shorter exponential, split by columns"},
    KernelVersionRow{"softmax.softmax.fast", 2, "sums in pairs, split by columns"},
    KernelVersionRow{"softmax.softmax.precise", 2,
                     "no division, a shorter exponential, split by columns"},
    KernelVersionRow{
        "space_to_depth.any.portable", 3,
        "whole lines of far rows, rows that lie between each other separated in vectors"},
    KernelVersionRow{"split.any.portable", 2, "short runs by moves of their size"},
    KernelVersionRow{"tile.any.portable", 2, "repeated rows in blocks"},
    KernelVersionRow{"transpose.any.portable", 3,
                     "whole lines of far rows, short runs by moves of their size"},
    KernelVersionRow{"unary.cosh.vector", 2, "a shorter exponential"},
    KernelVersionRow{"unary.erf.fast", 2, "large results by ordinary stores"},
    KernelVersionRow{"unary.erf.precise", 2, "a shorter exponential"},
    KernelVersionRow{"unary.exp.precise", 3, "large results by ordinary stores"},
    KernelVersionRow{"unary.gelu.fast", 2, "large results by ordinary stores"},
    KernelVersionRow{"unary.gelu.precise", 2, "a shorter exponential"},
    KernelVersionRow{"unary.mish.vector", 2, "a shorter exponential"},
    KernelVersionRow{"unary.shrink.vector", 2, "below -lambd first, also where lambd is negative"},
    KernelVersionRow{"unary.sigmoid.fast", 2, "large results by ordinary stores"},
    KernelVersionRow{"unary.sigmoid.precise", 2, "a shorter exponential"},
    KernelVersionRow{"unary.sinh.vector", 2, "a shorter exponential"},
    KernelVersionRow{"unary.softplus.vector", 2, "a shorter exponential"},
    KernelVersionRow{"unary.swish.fast", 2, "large results by ordinary stores"},
    KernelVersionRow{"unary.swish.precise", 2, "a shorter exponential"},
    KernelVersionRow{"unary.tanh.fast", 2, "large results by ordinary stores"},
    KernelVersionRow{"unary.tanh.precise", 2, "a shorter exponential"},
};

}  // namespace

std::span<const KernelVersionRow> AllKernelVersions() {
  return kVersions;
}

std::string VersionedName(std::string_view kernel) {
  for (const KernelVersionRow& row : AllKernelVersions()) {
    if (row.kernel == kernel) {
      return fmt::format("{}@{}", kernel, row.version);
    }
  }
  return std::string(kernel);
}

Hash128 HashOfTables(std::span<const std::span<const KernelEntry>> tables,
                     std::span<const KernelVersionRow> versions) {
  Hasher hasher;
  for (const auto& table : tables) {
    for (const KernelEntry& entry : table) {
      hasher.Add(entry.name).Add(InfoOf(entry.op).name).Add(NameOf(entry.impl_mode));
      for (std::size_t dtype = 0; dtype < std::size(kDTypes); ++dtype) {
        hasher.Add(std::int64_t{entry.dtypes.Has(static_cast<DType>(dtype))});
      }
      hasher.Add(std::int64_t{entry.isa})
          .Add(std::int64_t{entry.refusal != nullptr})
          .Add(std::int64_t{entry.slower != nullptr})
          .Add(std::int64_t{entry.is_reference});
    }
  }
  for (const KernelVersionRow& row : versions) {
    hasher.Add(row.kernel).Add(std::int64_t{row.version});
  }
  return hasher.Finish();
}

Hash128 KernelTableHash() {
  return HashOfTables(AllKernelTables(), AllKernelVersions());
}

}  // namespace halftone
