#include "kernels/sample/sample.h"

namespace halftone {
namespace {

constexpr DTypeSet kNumbers = kTunableDTypes | kIntegerDTypes | DTypeSet(DType::kFloat64);

constexpr KernelEntry kEntries[] = {
    {"grid_sample.float.blocks", OpKind::kGridSample, kTunableDTypes, ImplMode::kDefault, kIsaAny,
     RefuseGridSampleBlocks, PrepareGridSampleBlocks, nullptr, RunGridSampleBlocks},
    {"grid_sample.any.reference", OpKind::kGridSample, kNumbers, ImplMode::kDefault, kIsaAny,
     nullptr, PrepareGridSampleReference, nullptr, RunGridSampleReference, true},
    {"roi_align.any.reference", OpKind::kRoiAlign, kTunableDTypes | DTypeSet(DType::kFloat64),
     ImplMode::kDefault, kIsaAny, nullptr, PrepareRoiAlign, nullptr, RunRoiAlign, true},
    {"max_roi_pool.any.reference", OpKind::kMaxRoiPool, kTunableDTypes | DTypeSet(DType::kFloat64),
     ImplMode::kDefault, kIsaAny, nullptr, PrepareMaxRoiPool, nullptr, RunMaxRoiPool, true},
    {"deform_conv.any.reference", OpKind::kDeformConv, kTunableDTypes | DTypeSet(DType::kFloat64),
     ImplMode::kDefault, kIsaAny, nullptr, PrepareDeformConv, nullptr, RunDeformConv, true},
    {"col2im.any.reference", OpKind::kCol2Im, kNumbers, ImplMode::kDefault, kIsaAny, nullptr,
     PrepareCol2Im, nullptr, RunCol2Im, true},
};

}  // namespace

std::span<const KernelEntry> SampleKernels() {
  return kEntries;
}

}  // namespace halftone
