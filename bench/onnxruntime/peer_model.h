// Model for the peer: unchanged, or quantized.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/onnxruntime/runtime_api.h"
#include "src/ir/tensor.h"

namespace halftone {

enum class PeerForm : std::uint8_t { kFloat32, kInt8 };

struct PeerModel {
  std::string bytes;
  // Outputs of the unquantized model in float32, the reference of both programs.
  std::vector<Tensor> references;
};

// Int8: calibrated with the inputs that it is timed with, which flatters its error. Error
// kUnsupported: the runtime refuses the network.
PeerModel MakePeerModel(const RuntimeApi& api, std::string model,
                        const std::map<std::string, Tensor>& inputs, PeerForm form);

}  // namespace halftone
