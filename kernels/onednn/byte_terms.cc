#include "kernels/onednn/byte_terms.h"

#include "kernels/quantized/byte_product.h"

namespace halftone {

std::string_view RefusalOfByteOperands(const KernelQuery& query) {
  const OperandPlaces places = PlacesOf(query.op);
  for (std::size_t i = 0; i < query.inputs.size(); ++i) {
    if (i != places.a && i != places.residual && query.Input(i) != nullptr &&
        query.Constant(i) == nullptr) {
      return "other operands than A and the residual are not constant";
    }
  }
  if (query.Input(places.b)->dtype != DType::kInt8) {
    return "B is not int8";
  }
  const Tensor* zero = query.Constant(places.b_zero);
  if (zero != nullptr) {
    for (const std::int64_t value : IntegersOf(*zero)) {
      if (value != 0) {
        return "B has a zero point";
      }
    }
  }
  return "";
}

ByteTerms ByteTermsOf(const KernelQuery& query, std::int64_t k, std::int64_t n,
                      const std::vector<std::int32_t>& b_sums) {
  const OperandPlaces places = PlacesOf(query.op);
  const auto data = [&](std::size_t operand) -> const void* {
    return query.Constant(operand) == nullptr ? nullptr : query.Constant(operand)->data();
  };
  const auto scale = [&](std::size_t operand) { return static_cast<const float*>(data(operand)); };
  const DType y_dtype = query.outputs.at(0)->dtype;
  const bool integer = y_dtype == DType::kInt32;
  const std::vector<std::int32_t> no_sums(static_cast<std::size_t>(n));
  const auto padded = static_cast<std::size_t>((n + kByteResultPadding - 1) / kByteResultPadding *
                                               kByteResultPadding);
  ByteTerms terms{.offset = std::vector<std::int32_t>(padded),
                  .multiplier = std::vector<float>(padded)};
  ComputeColumnTerms(
      {.k = k,
       .n = n,
       .a_zero =
           b_sums.empty() ? 0 : ZeroPointAt(query.Input(places.a)->dtype, data(places.a_zero)),
       .b_sums = b_sums.empty() ? no_sums.data() : b_sums.data(),
       .bias = static_cast<const std::int32_t*>(data(places.bias)),
       .a_scale = integer ? 1.0F : *scale(places.a_scale),
       .b_scale = scale(places.b_scale),
       .b_scale_per_column = ElementsOf(query, places.b_scale) > 1,
       .y_scale = scale(places.y_scale) == nullptr ? 1.0F : *scale(places.y_scale)},
      {.offset = terms.offset.data(), .multiplier = integer ? nullptr : terms.multiplier.data()});
  terms.y_zero = ZeroPointAt(y_dtype, data(places.y_zero));
  return terms;
}

}  // namespace halftone
