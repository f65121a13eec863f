// Model for the peer (ONNX Runtime): unchanged, in float16, or quantized.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/tensor.h"
#include "src/runtimes/onnxruntime/ort_api.h"

namespace halftone {

enum class PeerForm : std::uint8_t { kFloat32, kFloat16, kInt8 };

struct PeerFormRow {
  PeerForm form;
  std::string_view name;  // "f16"
};

// All forms, the default first.
std::span<const PeerFormRow> PeerForms();

std::string_view NameOf(PeerForm form);

// The form named `name`. Error kUsage, with all names, for an unknown name.
PeerForm FindPeerForm(std::string_view name);

struct PeerModel {
  std::string bytes;
  // Outputs of the unchanged model in float32, which are the reference of both programs.
  std::vector<Tensor> references;
};

// Makes the model in `form`. The int8 form is calibrated on the inputs on which it is timed, which
// flatters its error. Error kUnsupported: the runtime refuses the network.
PeerModel MakePeerModel(const OrtApi& api, std::string model,
                        const std::map<std::string, Tensor>& inputs, PeerForm form);

}  // namespace halftone
