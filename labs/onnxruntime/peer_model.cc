#include "labs/onnxruntime/peer_model.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <utility>

#include "labs/onnxruntime/float16_model.h"
#include "labs/onnxruntime/quantized_model.h"
#include "labs/onnxruntime/runtime_session.h"
#include "src/base/error.h"
#include "src/base/file.h"

namespace halftone {
namespace {

constexpr PeerFormRow kPeerForms[] = {
    {PeerForm::kFloat32, "f32"},
    {PeerForm::kFloat16, "f16"},
    {PeerForm::kInt8, "int8"},
};

std::vector<Tensor> OutputsOf(const OrtApi& api, std::string_view model,
                              const std::map<std::string, Tensor>& inputs) {
  RuntimeSession session(api, model, {.threads = 1}, inputs);
  session.Run();
  return session.Outputs();
}

// BatchNormalization between a convolution and what rounds its result would keep both in float32,
// and scales that are computed from constants would be rounded to float16.
std::string Folded(const OrtApi& api, std::string_view model,
                   const std::map<std::string, Tensor>& inputs) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     fmt::format("halftone_vs_onnxruntime.{}.onnx", getpid());
  { const RuntimeSession writes(api, model, {.threads = 1, .folded_path = path.string()}, inputs); }
  std::string bytes = ReadFile(path);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return bytes;
}

// False: not float32, or not finite.
bool AddRange(const Tensor& tensor, const std::string& name,
              std::map<std::string, PeerRange>& ranges) {
  if (tensor.dtype() != DType::kFloat32 || tensor.ElementCount() == 0) {
    return false;
  }
  PeerRange range{.low = 0, .high = 0};
  for (const float value : tensor.values<float>()) {
    if (!std::isfinite(value)) {
      return false;
    }
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  ranges.emplace(name, range);
  return true;
}

}  // namespace

std::span<const PeerFormRow> PeerForms() {
  return kPeerForms;
}

std::string_view NameOf(PeerForm form) {
  return std::find_if(std::begin(kPeerForms), std::end(kPeerForms),
                      [&](const PeerFormRow& row) { return row.form == form; })
      ->name;
}

PeerForm FindPeerForm(std::string_view name) {
  std::string names;
  for (const PeerFormRow& row : kPeerForms) {
    if (row.name == name) {
      return row.form;
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  throw Error(ErrorKind::kUsage, fmt::format("--peer expects one of {}; found '{}'", names, name));
}

PeerModel MakePeerModel(const OrtApi& api, std::string model,
                        const std::map<std::string, Tensor>& inputs, PeerForm form) {
  PeerModel peer{.bytes = std::move(model), .references = {}};
  peer.references = OutputsOf(api, peer.bytes, inputs);
  if (form == PeerForm::kFloat32) {
    return peer;
  }
  peer.bytes = Folded(api, peer.bytes, inputs);
  if (form == PeerForm::kFloat16) {
    peer.bytes = Float16Model(peer.bytes);
    return peer;
  }
  std::map<std::string, PeerRange> ranges;
  std::vector<std::string> computed;
  for (const std::string& value : QuantizedValues(peer.bytes)) {
    if (const auto input = inputs.find(value); input != inputs.end()) {
      AddRange(input->second, value, ranges);
    } else {
      computed.push_back(value);
    }
  }
  // One by one would run the network as often; all at once it keeps every value.
  RuntimeSession session(api, WithOutputs(peer.bytes, computed), {.threads = 1}, inputs);
  session.Run();
  const std::vector<std::string>& names = session.output_names();
  const std::vector<Tensor> values = session.Outputs();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(computed.begin(), computed.end(), names[i]) != computed.end()) {
      AddRange(values[i], names[i], ranges);
    }
  }
  peer.bytes = QuantizedModel(peer.bytes, ranges);
  return peer;
}

}  // namespace halftone
