// List of all kernel families.
#include "kernels/attention/attention.h"
#include "kernels/binary/binary.h"
#include "kernels/cast/cast.h"
#include "kernels/concat/concat.h"
#include "kernels/conv/conv.h"
#include "kernels/conv_transpose/conv_transpose.h"
#include "kernels/copy/copy.h"
#include "kernels/determinant/determinant.h"
#include "kernels/einsum/einsum.h"
#include "kernels/fill/fill.h"
#include "kernels/gather/gather.h"
#include "kernels/gemm/gemm.h"
#include "kernels/kernel_table.h"
#include "kernels/kernel_table_for_tests.h"
#include "kernels/normalization/normalization.h"
#include "kernels/pool/pool.h"
#include "kernels/quantized/quantized.h"
#include "kernels/recurrent/recurrent.h"
#include "kernels/reduce/reduce.h"
#include "kernels/resize/resize.h"
#include "kernels/sample/sample.h"
#include "kernels/scatter/scatter.h"
#include "kernels/select/select.h"
#include "kernels/softmax/softmax.h"
#include "kernels/sort/sort.h"
#include "kernels/strided/strided.h"
#include "kernels/transpose/transpose.h"
#include "kernels/unary/unary.h"

namespace halftone {
namespace {

constinit std::span<const std::span<const KernelEntry>> planted;

}  // namespace

void PlantKernelTablesForTests(std::span<const std::span<const KernelEntry>> tables) {
  planted = tables;
}

std::span<const std::span<const KernelEntry>> AllKernelTables() {
  if (!planted.empty()) {
    return planted;
  }
  static const std::span<const KernelEntry> kTables[] = {
      UnaryKernels(),         BinaryKernels(),        SoftmaxKernels(),   ReduceKernels(),
      NormalizationKernels(), GemmKernels(),          ConvKernels(),      PoolKernels(),
      CastKernels(),          CopyKernels(),          ConcatKernels(),    GatherKernels(),
      TransposeKernels(),     StridedKernels(),       ResizeKernels(),    FillKernels(),
      ScatterKernels(),       SortKernels(),          SelectKernels(),    SampleKernels(),
      EinsumKernels(),        ConvTransposeKernels(), RecurrentKernels(), AttentionKernels(),
      QuantizedKernels(),     DeterminantKernels(),
  };
  return kTables;
}

}  // namespace halftone
