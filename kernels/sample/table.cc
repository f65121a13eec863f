#include "kernels/sample/sample.h"
#include "kernels/table_rows.h"

namespace halftone {
namespace {

constexpr DTypeSet kNumbers = kTunableDTypes | kIntegerDTypes | DTypeSet(DType::kFloat64);

constexpr Component kSample{.name = "sample"};
constexpr Component kGridReference{"sample.grid_reference", 2, "taps on one pixel are one"};
constexpr Component kRoiAlign{"sample.roi_align", 2, "places once for all channels"};

constexpr KernelEntry kRows[] = {
    {"grid_sample.float.blocks", OpKind::kGridSample, kTunableDTypes, ImplMode::kDefault, kIsaAny,
     RefuseGridSampleBlocks, PrepareGridSampleBlocks, nullptr, RunGridSampleBlocks},
    KernelEntry{"grid_sample.any.reference", OpKind::kGridSample, kNumbers, ImplMode::kDefault,
                kIsaAny, nullptr, PrepareGridSampleReference, nullptr, RunGridSampleReference, true}
        .MadeOf({&kGridReference}),
    KernelEntry{"roi_align.any.reference", OpKind::kRoiAlign,
                kTunableDTypes | DTypeSet(DType::kFloat64), ImplMode::kDefault, kIsaAny, nullptr,
                PrepareRoiAlign, nullptr, RunRoiAlign, true}
        .MadeOf({&kRoiAlign}),
    {"max_roi_pool.any.reference", OpKind::kMaxRoiPool, kTunableDTypes | DTypeSet(DType::kFloat64),
     ImplMode::kDefault, kIsaAny, nullptr, PrepareMaxRoiPool, nullptr, RunMaxRoiPool, true},
    {"deform_conv.any.reference", OpKind::kDeformConv, kTunableDTypes | DTypeSet(DType::kFloat64),
     ImplMode::kDefault, kIsaAny, nullptr, PrepareDeformConv, nullptr, RunDeformConv, true},
    {"col2im.any.reference", OpKind::kCol2Im, kNumbers, ImplMode::kDefault, kIsaAny, nullptr,
     PrepareCol2Im, nullptr, RunCol2Im, true},
};

constexpr auto kEntries = MadeOf({&kSample}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> SampleKernels() {
  return kEntries;
}

}  // namespace halftone
