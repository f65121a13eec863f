#include "kernels/kernel_version.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "src/ir/op_table.h"

namespace halftone {
namespace {

// {"conv.f32.onednn", 2, "refuses groups"}, sorted by name.
constexpr std::array kVersions = {
    KernelVersionRow{"attention.bf16.avx512_bf16.fast", 2, "sums exponentials in pairs"},
    KernelVersionRow{"attention.bf16.fast", 2, "sums exponentials in pairs"},
    KernelVersionRow{"attention.bf16.precise", 2, "a shorter exponential"},
    KernelVersionRow{"attention.f16.avx512_bf16.fast", 2, "sums exponentials in pairs"},
    KernelVersionRow{"attention.f16.precise", 2, "a shorter exponential"},
    KernelVersionRow{"attention.f32.fast", 2, "sums exponentials in pairs"},
    KernelVersionRow{"attention.f32.precise", 2, "a shorter exponential"},
    KernelVersionRow{"average_pool.highway", 3, "joins rows in place"},
    KernelVersionRow{"binary.mod.loop", 2, "no floating types but float64"},
    KernelVersionRow{"binary.where.copy", 2, "both branches read, in vectors"},
    KernelVersionRow{"conv.bf16.avx512_bf16", 3, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.bf16.avx512_bf16.channels_last", 2,
                     "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.bf16.highway", 3, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.bf16.highway.channels_last", 2,
                     "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.bf16.highway.depthwise", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.bf16.highway.depthwise_channels_last", 2,
                     "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.bf16.onednn", 3, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f16.avx512_bf16.fast", 3, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f16.avx512_bf16.fast_channels_last", 2,
                     "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f16.highway", 3, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f16.highway.channels_last", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f16.highway.depthwise", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f16.highway.depthwise_channels_last", 2,
                     "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f16.onednn", 3, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f16.onednn.direct", 3, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f16.onednn.fast", 3, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f16.onednn.winograd", 3, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f32.highway", 3, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f32.highway.channels_last", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f32.highway.depthwise", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f32.highway.depthwise_channels_last", 2,
                     "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f32.onednn", 4, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f32.onednn.direct", 4, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv.f32.onednn.winograd", 6, "a shorter exponential in what is fused"},
    KernelVersionRow{"conv_integer.s8.avx512_vnni.channels_last", 2, "windows of a padded copy"},
    KernelVersionRow{"conv_integer.s8.highway.channels_last", 3,
                     "windows of a padded copy, 12 rows at once"},
    KernelVersionRow{"conv_transpose.bf16.phases", 2, "serves windows of any length"},
    KernelVersionRow{"conv_transpose.f16.phases", 2, "serves windows of any length"},
    KernelVersionRow{"conv_transpose.f32.phases", 2, "serves windows of any length"},
    KernelVersionRow{"depth_to_space.any.portable", 2, "whole lines of far rows"},
    KernelVersionRow{"gather_elements.any.portable", 2, "indices by runs, not one by one"},
    KernelVersionRow{"gemm.bf16.avx512_bf16", 4, "a shorter exponential in what is fused"},
    KernelVersionRow{"gemm.bf16.highway", 4, "a shorter exponential in what is fused"},
    KernelVersionRow{"gemm.bf16.highway.few_rows", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"gemm.bf16.onednn", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"gemm.f16.avx512_bf16.fast", 4, "a shorter exponential in what is fused"},
    KernelVersionRow{"gemm.f16.highway", 4, "a shorter exponential in what is fused"},
    KernelVersionRow{"gemm.f16.highway.few_rows", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"gemm.f32.highway", 4, "a shorter exponential in what is fused"},
    KernelVersionRow{"gemm.f32.highway.few_rows", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"gemm.f32.onednn", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"global_average_pool.highway", 2, "sums lanes in pairs"},
    KernelVersionRow{"global_max_pool.highway", 2, "joins lanes in pairs"},
    KernelVersionRow{"grid_sample.any.reference", 2, "taps on one pixel are one"},
    KernelVersionRow{"gru.bf16.avx512_bf16", 3, "a shorter exponential"},
    KernelVersionRow{"gru.bf16.highway", 3, "a shorter exponential"},
    KernelVersionRow{"gru.f16.avx512_bf16.fast", 3, "a shorter exponential"},
    KernelVersionRow{"gru.f16.highway", 3, "a shorter exponential"},
    KernelVersionRow{"gru.f32.highway", 3, "a shorter exponential"},
    KernelVersionRow{"lstm.bf16.avx512_bf16", 3, "a shorter exponential"},
    KernelVersionRow{"lstm.bf16.highway", 3, "a shorter exponential"},
    KernelVersionRow{"lstm.f16.avx512_bf16.fast", 3, "a shorter exponential"},
    KernelVersionRow{"lstm.f16.highway", 3, "a shorter exponential"},
    KernelVersionRow{"lstm.f32.highway", 3, "a shorter exponential"},
    KernelVersionRow{"matmul.bf16.avx512_bf16", 4, "a shorter exponential in what is fused"},
    KernelVersionRow{"matmul.bf16.highway", 4, "a shorter exponential in what is fused"},
    KernelVersionRow{"matmul.bf16.highway.few_rows", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"matmul.bf16.onednn", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"matmul.f16.avx512_bf16.fast", 4, "a shorter exponential in what is fused"},
    KernelVersionRow{"matmul.f16.highway", 4, "a shorter exponential in what is fused"},
    KernelVersionRow{"matmul.f16.highway.few_rows", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"matmul.f32.highway", 4, "a shorter exponential in what is fused"},
    KernelVersionRow{"matmul.f32.highway.few_rows", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"matmul.f32.onednn", 2, "a shorter exponential in what is fused"},
    KernelVersionRow{"matmul_integer.s8.highway", 3, "12 rows at once"},
    KernelVersionRow{"max_pool.highway", 3, "joins rows in place"},
    KernelVersionRow{"qlinear_conv.s8.avx512_vnni.channels_last", 2, "windows of a padded copy"},
    KernelVersionRow{"qlinear_conv.s8.highway.channels_last", 3,
                     "windows of a padded copy, 12 rows at once"},
    KernelVersionRow{"qlinear_matmul.s8.highway", 3, "12 rows at once"},
    KernelVersionRow{"reduce.l1.fast", 2, "columns in blocks"},
    KernelVersionRow{"reduce.l1.precise", 2, "columns in blocks, infinite sums of columns"},
    KernelVersionRow{"reduce.l2.fast", 2, "columns in blocks"},
    KernelVersionRow{"reduce.l2.precise", 2, "columns in blocks, infinite sums of columns"},
    KernelVersionRow{"reduce.max.vector", 2, "lanes in vectors, columns in blocks"},
    KernelVersionRow{"reduce.mean.fast", 2, "columns in blocks"},
    KernelVersionRow{"reduce.mean.precise", 2, "columns in blocks, infinite sums of columns"},
    KernelVersionRow{"reduce.min.vector", 2, "lanes in vectors, columns in blocks"},
    KernelVersionRow{"reduce.prod.vector", 2, "columns in blocks"},
    KernelVersionRow{"reduce.sum.fast", 2, "columns in blocks"},
    KernelVersionRow{"reduce.sum.precise", 2, "columns in blocks, infinite sums of columns"},
    KernelVersionRow{"reduce.sum_square.fast", 2, "columns in blocks"},
    KernelVersionRow{"reduce.sum_square.precise", 2, "columns in blocks, infinite sums of columns"},
    KernelVersionRow{"rnn.bf16.avx512_bf16", 3, "a shorter exponential"},
    KernelVersionRow{"rnn.bf16.highway", 3, "a shorter exponential"},
    KernelVersionRow{"rnn.f16.avx512_bf16.fast", 3, "a shorter exponential"},
    KernelVersionRow{"rnn.f16.highway", 3, "a shorter exponential"},
    KernelVersionRow{"rnn.f32.highway", 3, "a shorter exponential"},
    KernelVersionRow{"roi_align.any.reference", 2, "places once for all channels"},
    KernelVersionRow{"slice.any.portable", 2, "every second element in vectors"},
    KernelVersionRow{"softmax.log_softmax.fast", 2, "sums in pairs, split by columns"},
    KernelVersionRow{"softmax.log_softmax.precise", 2, "a shorter exponential, split by columns"},
    KernelVersionRow{"softmax.softmax.fast", 2, "sums in pairs, split by columns"},
    KernelVersionRow{"softmax.softmax.precise", 2,
                     "no division, a shorter exponential, split by columns"},
    KernelVersionRow{"space_to_depth.any.portable", 2, "whole lines of far rows"},
    KernelVersionRow{"transpose.any.portable", 2, "whole lines of far rows"},
    KernelVersionRow{"unary.cosh.vector", 2, "a shorter exponential"},
    KernelVersionRow{"unary.erf.precise", 2, "a shorter exponential"},
    KernelVersionRow{"unary.exp.precise", 2, "a shorter exponential"},
    KernelVersionRow{"unary.gelu.precise", 2, "a shorter exponential"},
    KernelVersionRow{"unary.mish.vector", 2, "a shorter exponential"},
    KernelVersionRow{"unary.sigmoid.precise", 2, "a shorter exponential"},
    KernelVersionRow{"unary.sinh.vector", 2, "a shorter exponential"},
    KernelVersionRow{"unary.softplus.vector", 2, "a shorter exponential"},
    KernelVersionRow{"unary.swish.precise", 2, "a shorter exponential"},
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
