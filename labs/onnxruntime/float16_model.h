// A float network in float16, for ONNX Runtime. Every float32 tensor becomes float16, including
// constants and types in attributes. Inputs and outputs of the network stay float32, with Cast
// nodes next to them. Operands that ONNX has in float32 only, such as the scales of Resize, stay
// float32, too. The runtime itself puts casts around operators for which it has no float16 kernel.
#pragma once

#include <string>
#include <string_view>

namespace halftone {

// Rewrites `model`. Constants beyond the range of float16 become its largest number, and constants
// other than 0 that are too small for it become 1e-7, so that masks stay finite and epsilons
// positive. Error kModel: not an ONNX model.
std::string Float16Model(std::string_view model);

}  // namespace halftone
