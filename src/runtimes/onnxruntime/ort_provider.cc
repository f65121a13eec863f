#include "src/runtimes/onnxruntime/ort_provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Providers whose options are an object of their own.
struct ObjectCalls {
  OrtCall create;
  OrtCall update;
  OrtCall append;
  OrtCall release;
};

struct ExactOption {
  std::string_view key;
  std::string_view value;
};

struct ProviderRow {
  std::string_view name;  // in lower case
  std::string_view full;  // as the runtime has it
  std::string_view memory;
  std::optional<ObjectCalls> object;
  std::optional<ExactOption> exact;
  bool symmetric_int8 = false;
};

// Options: the pages of the providers at onnxruntime.ai, "Execution Providers". A provider without
// a row is appended by the name that was given.
constexpr ProviderRow kProviders[] = {
    {"cpu", "CPUExecutionProvider", "", {}, {}},
    {"cuda", "CUDAExecutionProvider", "Cuda",
     ObjectCalls{OrtCall::kCreateCudaOptions, OrtCall::kUpdateCudaOptions, OrtCall::kAppendCuda,
                 OrtCall::kReleaseCudaOptions},
     ExactOption{"use_tf32", "0"}},
    {"tensorrt",
     "TensorrtExecutionProvider",
     "Cuda",
     ObjectCalls{OrtCall::kCreateTensorRtOptions, OrtCall::kUpdateTensorRtOptions,
                 OrtCall::kAppendTensorRt, OrtCall::kReleaseTensorRtOptions},
     {},
     true},
    {"cann", "CANNExecutionProvider", "Cann",
     ObjectCalls{OrtCall::kCreateCannOptions, OrtCall::kUpdateCannOptions, OrtCall::kAppendCann,
                 OrtCall::kReleaseCannOptions},
     ExactOption{"precision_mode", "must_keep_origin_dtype"}},
    {"dnnl",
     "DnnlExecutionProvider",
     "",
     ObjectCalls{OrtCall::kCreateDnnlOptions, OrtCall::kUpdateDnnlOptions, OrtCall::kAppendDnnl,
                 OrtCall::kReleaseDnnlOptions},
     {}},
    {"qnn", "QNN", "", {}, ExactOption{"enable_htp_fp16_precision", "0"}},
    {"openvino", "OpenVINO", "", {}, {}},
    {"coreml", "CoreML", "", {}, {}},
    {"xnnpack", "XNNPACK", "", {}, {}},
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// Null: the provider has no row.
const ProviderRow* RowOf(const OrtProvider& provider) {
  const std::string lower = Lower(provider.name);
  const auto* const found = std::ranges::find_if(kProviders, [&](const ProviderRow& row) {
    return row.name == lower || Lower(row.full) == lower;
  });
  return found == std::end(kProviders) ? nullptr : found;
}

struct OptionPointers {
  explicit OptionPointers(const OrtProvider& provider) {
    for (const auto& [key, value] : provider.options) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
  }

  std::vector<const char*> keys;
  std::vector<const char*> values;
};

}  // namespace

OrtProvider ParseOrtProvider(std::string_view text) {
  OrtProvider provider;
  for (const std::string_view part : Split(text, ':')) {
    if (provider.name.empty()) {
      provider.name = Trim(part);
      if (provider.name.empty() || provider.name.find('=') != std::string::npos) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("provider={}: expected NAME or NAME:KEY=VALUE:..., as in "
                                "cuda:device_id=0",
                                Shown(text)));
      }
      continue;
    }
    const auto equals = part.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("provider={}: expected KEY=VALUE behind the name, found {}",
                              Shown(text), Shown(part)));
    }
    provider.options.emplace_back(part.substr(0, equals), part.substr(equals + 1));
  }
  return provider;
}

std::string TextOf(const OrtProvider& provider) {
  std::string text = provider.name;
  for (const auto& [key, value] : provider.options) {
    text += fmt::format(":{}={}", key, value);
  }
  return text;
}

OrtProvider WithExactFloat32(OrtProvider given) {
  const ProviderRow* row = RowOf(given);
  if (row != nullptr && row->exact && std::ranges::none_of(given.options, [&](const auto& option) {
        return option.first == row->exact->key;
      })) {
    given.options.emplace_back(row->exact->key, row->exact->value);
  }
  return given;
}

void AppendProvider(const OrtApi& api, void* session_options, const OrtProvider& provider) {
  const ProviderRow* row = RowOf(provider);
  if (row == kProviders) {
    return;
  }
  const OptionPointers pointers(provider);
  const auto* const keys = static_cast<const char* const*>(pointers.keys.data());
  const auto* const values = static_cast<const char* const*>(pointers.values.data());
  if (row == nullptr || !row->object) {
    const std::string name(row != nullptr ? row->full : std::string_view(provider.name));
    api.Call(OrtCall::kAppendProvider, session_options, name.c_str(), keys, values,
             pointers.keys.size());
    return;
  }
  const OrtHandle options = api.Make(row->object->create, row->object->release);
  if (!pointers.keys.empty()) {
    api.Call(row->object->update, options.get(), keys, values, pointers.keys.size());
  }
  api.Call(row->object->append, session_options, static_cast<const void*>(options.get()));
}

std::string_view MemoryOf(const OrtProvider& provider) {
  const ProviderRow* row = RowOf(provider);
  return row == nullptr ? "" : row->memory;
}

bool WantsSymmetricInt8(const OrtProvider& provider) {
  const ProviderRow* row = RowOf(provider);
  return row != nullptr && row->symmetric_int8;
}

}  // namespace halftone
