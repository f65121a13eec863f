#include "src/passes/fold/load_budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.h"
#include "src/ir/einsum_equation.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

double Elements(const TensorType* type) {
  return type == nullptr ? 0 : static_cast<double>(type->shape.ElementCount());
}

double ElementsOfInput(const KernelQuery& query, std::size_t i) {
  return Elements(query.Input(i));
}

double ElementsOfOutputs(const KernelQuery& query) {
  double count = 0;
  for (const TensorType* type : query.outputs) {
    count += Elements(type);
  }
  return count;
}

// Extent `axis` of input `i`, negative ones counted from the end; 1 where there is none.
double ExtentOf(const KernelQuery& query, std::size_t i, int axis) {
  const TensorType* type = query.Input(i);
  const int at = type == nullptr || axis >= 0 ? axis : axis + type->shape.rank();
  return type == nullptr || at < 0 || at >= type->shape.rank()
             ? 1
             : static_cast<double>(type->shape[at]);
}

double ProductOf(const std::vector<std::int64_t>& values) {
  double product = 1;
  for (const std::int64_t value : values) {
    product *= static_cast<double>(value);
  }
  return product;
}

double AllElements(const KernelQuery& query) {
  double count = ElementsOfOutputs(query);
  for (const TensorType* type : query.inputs) {
    count += Elements(type);
  }
  return count;
}

// Sums over the last axis of A.
double OfProduct(const KernelQuery& query) {
  return ElementsOfOutputs(query) * ExtentOf(query, 0, -1);
}

double OfGemm(const KernelQuery& query) {
  return ElementsOfOutputs(query) *
         ExtentOf(query, 0, query.attributes->Int("transA", 0) != 0 ? 0 : 1);
}

// Each result sums over the weights of its channel.
template <std::size_t weights>
double OfConv(const KernelQuery& query) {
  const double channels = std::max(ExtentOf(query, weights, 0), 1.0);
  return ElementsOfOutputs(query) * ElementsOfInput(query, weights) / channels;
}

// Each element goes into a window of every channel of its group.
template <std::size_t weights>
double OfConvTranspose(const KernelQuery& query) {
  const double channels = std::max(ExtentOf(query, weights, 0), 1.0);
  return ElementsOfInput(query, 0) * ElementsOfInput(query, weights) / channels;
}

double OfEinsum(const KernelQuery& query) {
  std::vector<Shape> shapes;
  for (const TensorType* type : query.inputs) {
    shapes.push_back(type->shape);
  }
  return ProductOf(ParseEinsum(query.attributes->Text("equation", ""), shapes).extents);
}

// Both matrices for each step of each sequence.
double OfRecurrent(const KernelQuery& query) {
  return ExtentOf(query, 0, 0) * ExtentOf(query, 0, 1) *
         (ElementsOfInput(query, 1) + ElementsOfInput(query, 2));
}

// Scores and their products with values, for each position of the keys.
double OfAttention(const KernelQuery& query) {
  const double positions = std::max(ExtentOf(query, 1, -2), ExtentOf(query, 4, -2));
  return 2 * (ElementsOfInput(query, 0) + ElementsOfOutputs(query)) * positions;
}

double OfDet(const KernelQuery& query) {
  return ElementsOfInput(query, 0) * ExtentOf(query, 0, -1);
}

double OfWindow(const KernelQuery& query) {
  return ElementsOfOutputs(query) * ProductOf(query.attributes->Ints("kernel_shape"));
}

double OfLrn(const KernelQuery& query) {
  return ElementsOfOutputs(query) * static_cast<double>(query.attributes->Int("size", 1));
}

// A Resize reads up to 4 taps along an axis, and as many pixels as become one.
double OfResize(const KernelQuery& query) {
  return 64 * AllElements(query);
}

double OfSort(const KernelQuery& query) {
  return 64 * AllElements(query);  // comparisons: twice the logarithm
}

// Every box against every other.
double OfSuppression(const KernelQuery& query) {
  const double boxes = ExtentOf(query, 0, 1);
  return ElementsOfInput(query, 1) * boxes + AllElements(query);
}

// Each result may see all of an image.
double OfRegions(const KernelQuery& query) {
  const double samples = static_cast<double>(query.attributes->Int("sampling_ratio", 0));
  const double pixels = ExtentOf(query, 0, 2) * ExtentOf(query, 0, 3);
  return ElementsOfOutputs(query) * 4 * std::max(samples * samples, pixels);
}

double OfSampling(const KernelQuery& query) {
  return 64 * ElementsOfOutputs(query);
}

struct Row {
  OpKind op;
  double (*operations)(const KernelQuery& query);
};

// Others visit each element of operands and results once.
constexpr Row kRows[] = {
    {OpKind::kMatMul, OfProduct},
    {OpKind::kMatMulInteger, OfProduct},
    {OpKind::kQLinearMatMul, OfProduct},
    {OpKind::kDynamicMatMul, OfProduct},
    {OpKind::kGemm, OfGemm},
    {OpKind::kConv, OfConv<1>},
    {OpKind::kConvInteger, OfConv<1>},
    {OpKind::kQLinearConv, OfConv<3>},
    {OpKind::kDeformConv, OfConv<1>},
    {OpKind::kConvTranspose, OfConvTranspose<1>},
    {OpKind::kQLinearConvTranspose, OfConvTranspose<3>},
    {OpKind::kEinsum, OfEinsum},
    {OpKind::kLstm, OfRecurrent},
    {OpKind::kGru, OfRecurrent},
    {OpKind::kRnn, OfRecurrent},
    {OpKind::kAttention, OfAttention},
    {OpKind::kDet, OfDet},
    {OpKind::kMaxPool, OfWindow},
    {OpKind::kAveragePool, OfWindow},
    {OpKind::kLpPool, OfWindow},
    {OpKind::kLrn, OfLrn},
    {OpKind::kResize, OfResize},
    {OpKind::kQLinearResize, OfResize},
    {OpKind::kTopK, OfSort},
    {OpKind::kUnique, OfSort},
    {OpKind::kNonMaxSuppression, OfSuppression},
    {OpKind::kRoiAlign, OfRegions},
    {OpKind::kMaxRoiPool, OfRegions},
    {OpKind::kGridSample, OfSampling},
};

double OperationsOf(const KernelQuery& query) {
  const auto* const row =
      std::find_if(std::begin(kRows), std::end(kRows),
                   [&](const Row& candidate) { return candidate.op == query.op; });
  const double least = AllElements(query);
  return row == std::end(kRows) ? least : std::max(least, row->operations(query));
}

}  // namespace

void LoadBudget::Allow(double bytes) {
  left_.operations += kOperationsPerByte * bytes;
  left_.bytes += kBytesPerByte * bytes;
}

bool LoadBudget::Affords(const LoadCost& cost) const {
  constexpr double kLarge = 0x1p20;
  const bool large = cost.operations > kLarge || cost.bytes > kLarge;
  const double kept = large ? kOperations / 4 : 0;
  static_assert(kOperations == kBytes);
  return cost.operations + kept <= left_.operations && cost.bytes + kept <= left_.bytes;
}

bool LoadBudget::Take(const LoadCost& cost) {
  if (!Affords(cost)) {
    return false;
  }
  left_.operations -= cost.operations;
  left_.bytes -= cost.bytes;
  return true;
}

std::string LoadBudget::Refusal(const LoadCost& cost) const {
  return fmt::format(
      "needs {:.3g} operations and {} of memory, {:.3g} and {} are left of what loading a model of "
      "this size may take",
      cost.operations, FormatBytes(cost.bytes), left_.operations, FormatBytes(left_.bytes));
}

LoadCost CostOfFolding(const KernelQuery& query) {
  if (InfoOf(query.op).Is(kIsView) || query.op == OpKind::kShape || query.op == OpKind::kSize) {
    return {};
  }
  LoadCost cost{.operations = OperationsOf(query)};
  for (const TensorType* type : query.outputs) {
    cost.bytes += type == nullptr ? 0 : static_cast<double>(type->size_bytes());
  }
  return cost;
}

}  // namespace halftone
