#include <fmt/format.h>

#include "kernels/copy/copy.h"
#include "kernels/copy/copy_bytes.h"
#include "kernels/shared_components.h"
#include "kernels/table_rows.h"
#include "src/base/error.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

struct CopyState final : KernelState {
  std::int64_t bytes = 0;
};

std::unique_ptr<KernelState> Prepare(const KernelQuery& query) {
  const TensorType& from = *query.inputs.at(0);
  const TensorType& to = *query.outputs.at(0);
  if (from.dtype != to.dtype || from.shape.ElementCount() != to.shape.ElementCount()) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("{}: expected input and output of one dtype and element count, got {} and {}",
                    InfoOf(query.op).name, from.ToString(), to.ToString()));
  }
  auto state = std::make_unique<CopyState>();
  state->bytes = to.size_bytes();
  return state;
}

void Run(const KernelArgs& args) noexcept {
  CopyBytes(args.outputs[0], args.inputs[0], static_cast<const CopyState*>(args.state)->bytes);
}

constexpr KernelEntry Entry(std::string_view name, OpKind op) {
  return {.name = name,
          .op = op,
          .dtypes = kAllDTypes,
          .impl_mode = ImplMode::kDefault,
          .isa = kIsaAny,
          .refusal = nullptr,
          .prepare = Prepare,
          .scratch_bytes = nullptr,
          .run = Run,
          // One call of memcpy is its own specification.
          .is_reference = true};
}

constexpr Component kCopy{.name = "copy"};

constexpr KernelEntry kRows[] = {
    Entry("identity.any.portable", OpKind::kIdentity),
    Entry("reshape.any.portable", OpKind::kReshape),
    Entry("flatten.any.portable", OpKind::kFlatten),
    Entry("squeeze.any.portable", OpKind::kSqueeze),
    Entry("unsqueeze.any.portable", OpKind::kUnsqueeze),
};

constexpr auto kEntries = MadeOf({&kCopy, &kCopyBytes}, std::to_array(kRows));

}  // namespace

std::span<const KernelEntry> CopyKernels() {
  return kEntries;
}

}  // namespace halftone
