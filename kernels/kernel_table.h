// Row of a kernel table, and the choice of a kernel for a call.
//
// A kernel family has one folder with a constexpr table, best entry first, the reference last.
// Kernels know neither graphs nor plans. A KernelQuery describes a call: types, attributes, fusion,
// layout, constant operands. prepare() parses the attributes and packs the weights once. run() then
// runs any number of times without allocating, locking or failing; only oneDNN's kernels allocate
// (kernels/onednn/library.h).
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
  // Packed constants that calls share (kernels/packed_weights.h); null: each call has its own.
  PackedWeights* packed = nullptr;
  // Ids of the constants in `packed`, parallel to `constants`. A constant whose id is negative or
  // missing is not shared.
  std::span<const int> constant_ids = {};
  // Stride of the result's rows (last axis) in elements, if they are rows of a larger tensor; 0:
  // contiguous. Only for entries with rows_apart.
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

  // True if prepare() packed the constant operand `input`, so that run() and this state no longer
  // read it: its bytes may be released.
  [[nodiscard]] virtual bool Consumed(std::size_t /*input*/) const { return false; }
};

struct KernelArgs {
  const KernelState* state = nullptr;
  std::span<const void* const> inputs;  // null: absent, or constant and consumed by prepare()
  std::span<void* const> outputs;
  std::byte* scratch = nullptr;  // scratch_bytes() bytes, 64-byte aligned, content undefined
  // Status of the run: set to true if the number of results differs from the planned count
  // (src/ir/run_time_extent.h); the outputs are zero then. Null: the caller does not need it.
  bool* other_count = nullptr;
};

// Elements [begin, end) of the result of a prepared element-wise call.
struct RangeArgs {
  const KernelState* state = nullptr;
  // An operand with as many elements as the result points to its element `begin`, any other operand
  // to its first element. Null: absent.
  std::span<const void* const> inputs;
  // Element `begin` of the result. May be an operand that points to element `begin`, if its
  // elements have the same size.
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
  // Operands and sums below 2^-126 count as zero, as in vdpbf16ps and tdpbf16ps.
  bool flushes_subnormals = false;
  // Roundings to float16 that a product passes before float32: multiply-adds and additions with an
  // error of 2^-11 of their result, or of 2^-25 if that is subnormal. The bound holds while all
  // sums in float16 are below 65520; with a larger sum the result is infinite or NaN.
  int float16_roundings = 0;
  // Number of products of parts that replace each product of float32 operands
  // (kernels/tile/float_parts.h). Above 1, a sum passes that many more roundings and flushes that
  // many more terms, and infinite operands may give NaN.
  int part_products = 1;
  // Sum of the products of parts that are left out, relative to |a b|.
  double left_out = 0;

  // Bound of the error relative to S. `float32` is the bound of sums in float32 alone. The errors
  // follow each other, so that the factors 1 + error multiply. n roundings to float16 have
  // (1 + u)^n - 1 <= n u / (1 - n u) with u = 2^-11 (Higham, Accuracy and Stability of Numerical
  // Algorithms, 2nd ed., 3.1). The products of parts, taken without signs, add up to at most
  // (1 + 2^-8 + 2^-16)^2 < 1 + 2^-6 times |a b|.
  [[nodiscard]] constexpr double Relative(double float32) const {
    const double n = float16_roundings * 0x1p-11;
    const double before = (rounds_operands ? 0x1p-7 + 0x1p-16 : 0.0) + n / (1 - n);
    if (part_products == 1) {
      return before + (1 + before) * float32;
    }
    const double more = part_products * 0x1p-24;
    return left_out + (1 + 0x1p-6) * (float32 + (1 + float32) * more / (1 - more));
  }

  // Absolute error of a sum of k products for operands of magnitude at most 1. It has the terms
  // that count as zero, and for each product half a unit of a subnormal float16, 2^-25, which later
  // roundings increase by less than an eighth.
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
  // Returns the reason why the kernel does not take the query, such as "weights are not constant";
  // empty: it does. Null: the kernel takes every query.
  std::string_view (*refusal)(const KernelQuery& query);
  // Parses attributes and packs constant operands. Errors kModel and kUnsupported for a call that
  // run() cannot do.
  std::unique_ptr<KernelState> (*prepare)(const KernelQuery& query);
  // Bytes of scratch for one run; null: none.
  std::size_t (*scratch_bytes)(const KernelState& state);
  void (*run)(const KernelArgs& args) noexcept;
  // True for the slow, obvious specification in double.
  bool is_reference = false;
  // Returns the reason why a later entry is faster for the query; empty: none is known to be. Null:
  // none ever is. A slower entry runs only if no other takes the query, if it is forced, or if
  // operator tuning chose it.
  std::string_view (*slower)(const KernelQuery& query) = nullptr;
  // The kernel emulates an instruction of other CPUs in plain C++. It runs only when forced by
  // name.
  bool emulates = false;
  ProductError product = {};
  // True if the results come from float16 arithmetic; the family states a separate bound for such
  // rows.
  bool float16_arithmetic = false;
  // True if run() can write rows that lie apart (KernelQuery::row_stride) for queries that it
  // accepts.
  bool rows_apart = false;
  // Computes a range of the result from the same range of the operands, with the same bits as
  // run(). Several such kernels can run together tile by tile (src/exec/chains.h). Null: the kernel
  // computes whole results only.
  RangeRun run_range = nullptr;
  // Code the kernel is made of: a measurement holds for the versions of these components.
  ComponentList components = {};
  // Operator whose kernels this kernel prepares and runs: their components also count as its own.
  std::optional<OpKind> calls = {};

  // Copy of the row with this run_range.
  [[nodiscard]] constexpr KernelEntry With(RangeRun range) const {
    KernelEntry row = *this;
    row.run_range = range;
    return row;
  }

  // Copy of the row with these components added.
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
  std::vector<PassedOver> passed_over;  // better entries, and why each is not used
  bool tuned = false;                   // true: chosen_name was taken in place of the static order
};

struct KernelPreference {
  IsaMask isa = DetectIsa();
  std::string_view forced_name;  // take this entry or fail; empty: the first that fits
  // Entry that operator tuning found (src/exec/kernel_choices.h). It is taken if KernelCandidates()
  // has it; otherwise the first entry that fits is taken, and passed_over says why. A forced_name
  // goes before it.
  std::string_view chosen_name;
  bool reference_only = false;
};

// The tables of all families, in the order of all_kernels.cc.
std::span<const std::span<const KernelEntry>> AllKernelTables();

// The first entry for the query's operator, dtype and implementation mode that does not refuse the
// query and is not slower than a later one. An entry of impl_mode kDefault serves every mode, and a
// query of impl_mode kDefault takes entries of every mode. If no entry that takes the query has its
// mode, the first of another mode is chosen. Error kUnsupported, which names operator, dtype and
// all reasons, if no entry takes the query.
KernelChoice SelectKernel(const KernelQuery& query, const KernelPreference& preference = {});

// Candidates of operator tuning. The first is the entry of the static order (SelectKernel() without
// a chosen name). Every other entry that takes the query, and has the implementation mode of the
// first or kDefault, follows in table order. References and kernels that emulate an instruction
// can only be the first. Error as SelectKernel().
std::vector<const KernelEntry*> KernelCandidates(const KernelQuery& query,
                                                 const KernelPreference& preference = {});

// The dtypes with at least one entry for `op` that runs on `isa`.
DTypeSet KernelDTypes(OpKind op, IsaMask isa);

// The implementation modes other than kDefault that `op` has for `dtype`, in table order; the first
// is the default. Empty: there is only one implementation.
std::vector<ImplMode> KernelImplModes(OpKind op, DType dtype, IsaMask isa);

// Instruction sets of DetectIsa() that some kernel's row names, or that Highway or oneDNN may use.
// Their name is part of the key of measurements.
IsaMask UsedIsa();

}  // namespace halftone
