#include "kernels/quantized/byte_epilogue.h"

namespace halftone {

std::string_view RefusalOfEpilogue(const KernelQuery& query) {
  const Fusion& fusion = *query.fusion;
  const OperandPlaces places = PlacesOf(query.op);
  const bool residual = query.Input(places.residual) != nullptr;
  if (IsIntegerResult(query.op)) {
    return fusion.activation || fusion.residual != ResidualPlace::kNone
               ? "sums of int32 have no activation and no residual"
               : "";
  }
  if (const std::string_view reason = RefusalOfBounds(query); !reason.empty()) {
    return reason;
  }
  if (residual != (fusion.residual != ResidualPlace::kNone)) {
    return "a residual operand and its place come together";
  }
  if (residual && (query.Input(places.residual)->dtype == DType::kFloat32) !=
                      (query.outputs.at(0)->dtype == DType::kFloat32)) {
    return "a residual is float32 where the result is, else int8 or uint8";
  }
  return "";
}

ByteEpilogueFacts::ByteEpilogueFacts(const KernelQuery& query)
    : places(PlacesOf(query.op)), bounds(query), place(query.fusion->residual) {
  if (place != ResidualPlace::kNone) {
    residual = query.Input(places.residual)->dtype;
  }
}

ByteEpilogueState::ByteEpilogueState(const KernelQuery& query) {
  if (query.fusion->activation || query.fusion->residual != ResidualPlace::kNone) {
    facts_ = ByteEpilogueFacts(query);
  }
}

}  // namespace halftone
