// Table row of a kernel, and the choice of a kernel for a call.
//
// A kernel family has one folder with a constexpr table, best entry first, the reference last.
// Kernels know neither graphs nor plans: a call is described by a KernelQuery (types, attributes,
// fusion, layout, constant operands), prepared once (attributes parsed, weights packed), and then
// run any number of times without allocating, locking or failing (kernels/onednn/library.h has the
// one exception).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/component.h"
#include "kernels/cpu_isa.h"
#include "src/ir/attributes.h"
#include "src/ir/fusion.h"
#include "src/ir/impl_mode.h"
#include "src/ir/layout.h"
#include "src/ir/op_kind.h"
#include "src/ir/tensor.h"

namespace halftone {

class PackedWeights;

// Everything that is known of one operator call before it runs. The dtypes are those of the plan.
struct KernelQuery {
  OpKind op = OpKind::kIdentity;
  const Attributes* attributes = nullptr;
  const Fusion* fusion = &kNoFusion;  // never null
  StepLayout layout = {};
  std::vector<const TensorType*> inputs;  // null: absent optional input
  std::vector<const Tensor*> constants;   // parallel to inputs; null: not constant
  std::vector<const TensorType*> outputs;
  ImplMode impl_mode = ImplMode::kDefault;
  // Shared packed constants of prepare() (kernels/packed_weights.h); null: each call has its own.
  PackedWeights* packed = nullptr;
  // Ids of constants there, parallel to `constants`; below 0, or missing: not shared.
  std::span<const int> constant_ids = {};
  // Elements between the begins of rows of the result, a row being its last axis, where they are
  // strided rows of a larger tensor; 0: contiguous. Only for entries that say rows_apart.
  std::int64_t row_stride = 0;

  [[nodiscard]] const TensorType* Input(std::size_t i) const {
    return i < inputs.size() ? inputs[i] : nullptr;
  }

  [[nodiscard]] const Tensor* Constant(std::size_t i) const {
    return i < constants.size() ? constants[i] : nullptr;
  }
};

// State of a prepared kernel: shapes, strides, packed weights. Immutable, shared between runs.
struct KernelState {
  virtual ~KernelState() = default;

  // Whether prepare() packed constant operand `input`, so that neither run() nor this reads it any
  // more: its bytes may be released.
  [[nodiscard]] virtual bool Consumed(std::size_t /*input*/) const { return false; }
};

struct KernelArgs {
  const KernelState* state = nullptr;
  std::span<const void* const> inputs;  // null: absent, or constant and consumed by prepare()
  std::span<void* const> outputs;
  std::byte* scratch = nullptr;  // 64-byte aligned, scratch_bytes() of it, content undefined
  // Status of the run: set to true when the number of results is not the one that the outputs are
  // planned for (src/ir/run_time_extent.h); they are zero then. Null: not asked for.
  bool* other_count = nullptr;
};

// Elements [begin, end) of the result of a prepared element-wise call.
struct RangeArgs {
  const KernelState* state = nullptr;
  // Operands with as many elements as the result: their element `begin`. Others: their first
  // element. Null: absent.
  std::span<const void* const> inputs;
  // Element `begin` of the result. May be one of the former operands, if its elements have the
  // same size.
  void* output = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

using RangeRun = void (*)(const RangeArgs& args) noexcept;

// Error terms of a matrix product beyond its family's bound for sums in float32, with S = sum |a b|
// over k products. Tests take their bounds from here.
struct ProductError {
  // Float16 operands are rounded to bfloat16 first: each product is off by 2^-7 + 2^-16 of itself.
  bool rounds_operands = false;
  // Operands and sums below 2^-126 count as zero, as of vdpbf16ps and tdpbf16ps.
  bool flushes_subnormals = false;
  // Roundings to float16 that a product passes before float32: multiply-adds and additions with an
  // error of 2^-11 of the result, or of 2^-25 where that is subnormal. The bound holds where all
  // sums in float16 are below 65520; a larger one is infinite, as is then the result, or NaN.
  int float16_roundings = 0;
  // Products of parts of float32 operands that are summed in place of each product
  // (kernels/tile/float_parts.h). Above 1: a sum passes as many roundings more, as much is flushed,
  // and infinite operands may give NaN.
  int part_products = 1;
  // Sum of the products of parts that are left out, of |a b|.
  double left_out = 0;

  // Bound of the error relative to S, of which sums in float32 alone have `float32`: both follow
  // each other, so that the factors 1 + error multiply. (1 + 2^-11)^n - 1 <= n u / (1 - n u);
  // Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.1. The magnitudes of parts
  // add up to (1 + 2^-8 + 2^-16)^2 < 1 + 2^-6 of each product at most.
  [[nodiscard]] constexpr double Relative(double float32) const {
    const double n = float16_roundings * 0x1p-11;
    const double before = (rounds_operands ? 0x1p-7 + 0x1p-16 : 0.0) + n / (1 - n);
    if (part_products == 1) {
      return before + (1 + before) * float32;
    }
    const double more = part_products * 0x1p-24;
    return left_out + (1 + 0x1p-6) * (float32 + (1 + float32) * more / (1 - more));
  }

  // Error that does not shrink with S, of operands of magnitude at most 1: what counts as zero, and
  // half a subnormal number of float16 for each product, which later roundings increase by less
  // than an eighth.
  [[nodiscard]] constexpr double Absolute(double k) const {
    return (flushes_subnormals ? 0x1p-126 * 4 * k * part_products : 0.0) +
           (float16_roundings > 0 ? 0x1.2p-25 * k : 0.0);
  }
};

struct KernelEntry {
  std::string_view name;  // "gemm.bf16.avx512": family.dtype.isa, also the database key
  OpKind op;
  DTypeSet dtypes;     // of the operand that carries the precision: the first "T" of the signature
  ImplMode impl_mode;  // kDefault: one implementation, serves every mode
  IsaMask isa;         // all bits must be present on this CPU
  // Empty: accepts the query; else one reason, for example "weights are not constant". Null:
  // accepts all.
  std::string_view (*refusal)(const KernelQuery& query);
  // Parses attributes, packs constant operands. Error kModel/kUnsupported for what run() cannot do.
  std::unique_ptr<KernelState> (*prepare)(const KernelQuery& query);
  // Scratch for one run; null: none.
  std::size_t (*scratch_bytes)(const KernelState& state);
  void (*run)(const KernelArgs& args) noexcept;
  // True for the slow, obvious specification in double.
  bool is_reference = false;
  // Empty: none known; else why a later entry is faster for the query. Such an entry serves when
  // there is no other, when it is forced, and when operator tuning measured otherwise. Null: never.
  std::string_view (*slower)(const KernelQuery& query) = nullptr;
  // The kernel emulates an instruction of other CPUs in plain C++. It runs only when forced by
  // name.
  bool emulates = false;
  ProductError product = {};
  // The results are made by arithmetic in float16 under a bound of their own, which the family
  // states for such rows.
  bool float16_arithmetic = false;
  // Whether run() writes rows that lie apart (KernelQuery::row_stride), where it does not refuse.
  bool rows_apart = false;
  // A range of the result from that range of the operands, with the bits of run(), so that several
  // kernels can go over a tensor together (src/exec/chains.h). Null: whole results only.
  RangeRun run_range = nullptr;
  // Code the kernel is made of: a measurement holds for the versions of these components.
  ComponentList components = {};
  // Operator whose kernels this one prepares and runs: their components are its own, too.
  std::optional<OpKind> calls = {};

  // The row with one field more.
  [[nodiscard]] constexpr KernelEntry With(RangeRun range) const {
    KernelEntry row = *this;
    row.run_range = range;
    return row;
  }

  [[nodiscard]] constexpr KernelEntry MadeOf(const ComponentList& parts) const {
    KernelEntry row = *this;
    row.components.Add(parts);
    return row;
  }
};

struct PassedOver {
  std::string kernel;
  std::string reason;
};

struct KernelChoice {
  const KernelEntry* entry = nullptr;
  std::vector<PassedOver> passed_over;  // better entries and why they do not serve
  bool tuned = false;                   // chosen_name was taken, against the static order
};

struct KernelPreference {
  IsaMask isa = DetectIsa();
  std::string_view forced_name;  // take this entry or fail; empty: the first that fits
  // Take this entry where KernelCandidates() has it, else the first that fits: what operator tuning
  // found (src/exec/kernel_choices.h). A name that no table has is a reason in passed_over.
  std::string_view chosen_name;
  bool reference_only = false;
};

// The tables of all families, in the order of all_kernels.cc.
std::span<const std::span<const KernelEntry>> AllKernelTables();

// The first entry for the query's operator, dtype and implementation mode that does not refuse and
// is not slower than a later one.
// An entry of impl_mode kDefault serves every mode; a mode that no entry of this operator and dtype
// has falls back to the first entry. Error kUnsupported naming operator, dtypes and all reasons.
KernelChoice SelectKernel(const KernelQuery& query, const KernelPreference& preference = {});

// Candidates of operator tuning: the entry of the static order (SelectKernel() without a chosen
// name) first, then, in table order, every other entry that takes the query and has the first one's
// implementation mode or kDefault. No references, unless there is nothing else. Error as
// SelectKernel().
std::vector<const KernelEntry*> KernelCandidates(const KernelQuery& query,
                                                 const KernelPreference& preference = {});

// The dtypes with at least one entry for `op` that runs on `isa`.
DTypeSet KernelDTypes(OpKind op, IsaMask isa);

// The implementation modes other than kDefault that `op` has for `dtype`, in table order: the first
// is what runs when nothing is said. Empty: one implementation only.
std::vector<ImplMode> KernelImplModes(OpKind op, DType dtype, IsaMask isa);

// Instruction sets of DetectIsa() that some kernel's row names, or that Highway or oneDNN may use.
// Measurements are kept under their name.
IsaMask UsedIsa();

}  // namespace halftone
