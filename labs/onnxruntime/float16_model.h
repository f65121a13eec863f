// A float network in float16, for ONNX Runtime: every float32 tensor becomes float16, constants and
// types in attributes included. Inputs and outputs of the network stay float32, with Cast nodes
// behind and in front of them; so do operands that ONNX has in float32 only, such as the scales of
// Resize. The runtime itself puts casts around operators that it has no float16 kernel for.
#pragma once

#include <string>
#include <string_view>

namespace halftone {

// Constants beyond the range of float16 become its largest number, those that it has no number for
// near zero 1e-7, so that masks stay finite and epsilons positive. Error kModel: not an ONNX model.
std::string Float16Model(std::string_view model);

}  // namespace halftone
