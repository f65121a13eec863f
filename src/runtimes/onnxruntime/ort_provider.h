// Execution providers of ONNX Runtime: how an option names them, and how a session gets them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/runtimes/onnxruntime/ort_api.h"

namespace halftone {

struct OrtProvider {
  std::string name;  // "cpu", "cuda", or as ONNX Runtime has it: "OpenVINO"
  std::vector<std::pair<std::string, std::string>> options;

  friend bool operator==(const OrtProvider&, const OrtProvider&) = default;
};

// Parses a text such as "cuda:device_id=0:use_tf32=0". Error kUsage: no name, or an option without
// a value.
OrtProvider ParseOrtProvider(std::string_view text);

std::string TextOf(const OrtProvider& provider);

// Adds options that keep float32 in float32 on the provider, unless `given` has them. By default,
// CUDA computes float32 in TF32, and QNN's HTP in float16.
OrtProvider WithExactFloat32(OrtProvider given);

// Appends the provider to the options of a session. Does nothing for "cpu", which is always there.
// Error kUnsupported, with the runtime's own message.
void AppendProvider(const OrtApi& api, void* session_options, const OrtProvider& provider);

// Name of the memory in which a provider leaves results, for OrtBinding. Empty: the memory of the
// CPU.
std::string_view MemoryOf(const OrtProvider& provider);

// True for a provider that takes only int8 without zero points and biases in float32: TensorRT.
bool WantsSymmetricInt8(const OrtProvider& provider);

}  // namespace halftone
