#include "kernels/select/select.h"
#include "kernels/shared_components.h"
#include "kernels/table_rows.h"

namespace halftone {
namespace {

using Prepare = std::unique_ptr<KernelState> (*)(const KernelQuery&);
using Run = void (*)(const KernelArgs&) noexcept;

// Entry of an operator with one implementation, whose loop is the specification.
constexpr KernelEntry Only(std::string_view name, OpKind op, Prepare prepare, Run run,
                           std::size_t (*scratch_bytes)(const KernelState&) = nullptr) {
  return {name,          op,  kAllDTypes, ImplMode::kDefault, kIsaAny, nullptr, prepare,
          scratch_bytes, run, true};
}

constexpr KernelEntry OfFloats(std::string_view name, OpKind op) {
  return {name,
          op,
          kTunableDTypes | DTypeSet(DType::kFloat64),
          ImplMode::kDefault,
          kIsaAny,
          nullptr,
          PrepareIsSpecial,
          nullptr,
          RunIsSpecialFloat};
}

constexpr Component kSelect{.name = "select"};

constexpr KernelEntry kRows[] = {
    OfFloats("is_inf.float.portable", OpKind::kIsInf),
    OfFloats("is_nan.float.portable", OpKind::kIsNaN),
    Only("is_inf.any.reference", OpKind::kIsInf, PrepareIsSpecial, RunIsSpecial),
    Only("is_nan.any.reference", OpKind::kIsNaN, PrepareIsSpecial, RunIsSpecial),
    {"hardmax.any.vector", OpKind::kHardmax, kTunableDTypes, ImplMode::kDefault, kIsaAny,
     RefuseHardmaxLoop, PrepareHardmaxLoop, nullptr, RunHardmaxLoop},
    Only("hardmax.any.reference", OpKind::kHardmax, PrepareHardmax, RunHardmax),
    Only("one_hot.any.reference", OpKind::kOneHot, PrepareOneHot, RunOneHot),
    Only("eye_like.any.reference", OpKind::kEyeLike, PrepareEyeLike, RunEyeLike),
    Only("cum_sum.any.reference", OpKind::kCumSum, PrepareCumSum, RunCumSum),
    Only("non_zero.any.reference", OpKind::kNonZero, PrepareNonZero, RunNonZero),
    Only("non_max_suppression.any.reference", OpKind::kNonMaxSuppression, PrepareNonMaxSuppression,
         RunNonMaxSuppression, NonMaxSuppressionScratch),
    Only("unique.any.reference", OpKind::kUnique, PrepareUnique, RunUnique, UniqueScratch),
    Only("compress.any.reference", OpKind::kCompress, PrepareCompress, RunCompress)
        .MadeOf({&kIndexedCopy, &kCopyRuns}),
    Only("trilu.any.reference", OpKind::kTrilu, PrepareTrilu, RunTrilu).MadeOf({&kCopyBytes}),
    Only("reverse_sequence.any.reference", OpKind::kReverseSequence, PrepareReverseSequence,
         RunReverseSequence)
        .MadeOf({&kCopyBytes}),
};

constexpr auto kEntries = MadeOf({&kSelect}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> SelectKernels() {
  return kEntries;
}

}  // namespace halftone
