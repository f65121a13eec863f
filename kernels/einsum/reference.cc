// Einsum by loops over the labels, in double.
#include <algorithm>

#include "kernels/einsum/einsum.h"
#include "kernels/elements.h"
#include "kernels/parallel.h"
#include "src/ir/einsum_equation.h"

namespace halftone {
namespace {

constexpr std::size_t kMostOperands = 16;

// Strides of the operands for each label, in elements; 0 where an operand does not have the label.
struct Loop {
  std::int64_t extent = 1;
  std::vector<std::int64_t> strides;
};

struct EinsumState final : KernelState {
  DType dtype = DType::kFloat32;
  std::size_t operands = 1;
  std::vector<Loop> kept;    // axes of the output
  std::vector<Loop> summed;  // the others
  std::int64_t outputs = 1;
  std::int64_t terms = 1;
};

std::vector<Loop> LoopsOf(const EinsumEquation& equation, const std::vector<Shape>& shapes) {
  std::vector<Loop> loops;
  for (const std::int64_t extent : equation.extents) {
    loops.push_back({extent, std::vector<std::int64_t>(shapes.size(), 0)});
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::vector<std::int64_t> strides = StridesOf(shapes[i]);
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
      // A label twice in one operand walks its diagonal; an extent of 1 is repeated.
      const bool repeated = shapes[i][static_cast<int>(axis)] == 1;
      loops[static_cast<std::size_t>(equation.inputs[i][axis])].strides[i] +=
          repeated ? 0 : strides[axis];
    }
  }
  return loops;
}

using Offsets = std::int64_t[kMostOperands];

void AddOffsets(const EinsumState& s, const std::vector<Loop>& loops, std::int64_t index,
                Offsets& offsets) noexcept {
  for (std::size_t i = loops.size(); i-- > 0;) {
    const std::int64_t at = index % loops[i].extent;
    index /= loops[i].extent;
    for (std::size_t operand = 0; operand < s.operands; ++operand) {
      offsets[operand] += at * loops[i].strides[operand];
    }
  }
}

// Element `index` of the result.
template <typename T>
T ElementAt(const EinsumState& s, const KernelArgs& args, std::int64_t index) noexcept {
  using Sum = std::conditional_t<kIsFloatElement<T>, double, std::uint64_t>;
  Offsets first{};
  AddOffsets(s, s.kept, index, first);
  Sum sum = 0;
  for (std::int64_t k = 0; k < s.terms; ++k) {
    Offsets at{};
    std::copy_n(first, s.operands, at);
    AddOffsets(s, s.summed, k, at);
    Sum product = 1;
    for (std::size_t i = 0; i < s.operands; ++i) {
      product *= static_cast<Sum>(NumberOf(static_cast<const T*>(args.inputs[i])[at[i]]));
    }
    sum += product;
  }
  return ElementOf<T>(sum);
}

}  // namespace

std::string_view EinsumReferenceRefusal(const KernelQuery& query) {
  return query.inputs.size() > kMostOperands ? "serves up to 16 operands" : "";
}

std::unique_ptr<KernelState> PrepareEinsumReference(const KernelQuery& query) {
  auto state = std::make_unique<EinsumState>();
  std::vector<Shape> shapes;
  for (const TensorType* input : query.inputs) {
    shapes.push_back(input->shape);
  }
  const EinsumEquation equation = ParseEinsum(query.attributes->Text("equation", ""), shapes);
  const std::vector<Loop> loops = LoopsOf(equation, shapes);
  state->dtype = query.inputs.at(0)->dtype;
  state->operands = shapes.size();
  for (const int label : equation.output) {
    state->kept.push_back(loops[static_cast<std::size_t>(label)]);
    state->outputs *= state->kept.back().extent;
  }
  for (std::size_t label = 0; label < loops.size(); ++label) {
    if (std::find(equation.output.begin(), equation.output.end(), static_cast<int>(label)) ==
        equation.output.end()) {
      state->summed.push_back(loops[label]);
      state->terms *= loops[label].extent;
    }
  }
  return state;
}

void RunEinsumReference(const KernelArgs& args) noexcept {
  const auto& s = static_cast<const EinsumState&>(*args.state);
  const std::int64_t grain = 5'000 / std::max<std::int64_t>(s.terms, 1);  // 5 ns a term: 25 us
  VisitElement(s.dtype, [&](auto element) {
    using T = decltype(element);
    ParallelFor(s.outputs, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t o = begin; o < end; ++o) {
        static_cast<T*>(args.outputs[0])[o] = ElementAt<T>(s, args, o);
      }
    });
  });
}

}  // namespace halftone
