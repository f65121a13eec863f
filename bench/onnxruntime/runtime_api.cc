#include "bench/onnxruntime/runtime_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr std::uint32_t kApiVersion = 11;
constexpr int kLogErrors = 3;

}  // namespace

void RuntimeRelease::operator()(void* object) const {
  reinterpret_cast<void (*)(void*)>(api->At(call))(object);
}

RuntimeApi::RuntimeApi(const std::filesystem::path& library) {
  // struct OrtApiBase
  struct Base {
    const AnyFunction* (*functions)(std::uint32_t version);
    const char* (*version)();
  };

  // Never closed: the runtime has threads and exit handlers of its own.
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw Error(ErrorKind::kIo, fmt::format("cannot load ONNX Runtime: {}", dlerror()));
  }
  const auto base_of = reinterpret_cast<const Base* (*)()>(dlsym(handle, "OrtGetApiBase"));
  if (base_of == nullptr) {
    throw Error(ErrorKind::kIo,
                fmt::format("'{}' is not ONNX Runtime: it has no OrtGetApiBase", library.string()));
  }
  version_ = base_of()->version();
  functions_ = base_of()->functions(kApiVersion);
  if (functions_ == nullptr) {
    throw Error(ErrorKind::kIo, fmt::format("ONNX Runtime {} does not offer version {} of its API",
                                            version_, kApiVersion));
  }
  environment_ = Make(RuntimeCall::kCreateEnv, RuntimeCall::kReleaseEnv, kLogErrors,
                      static_cast<const char*>("halftone"));
}

void RuntimeApi::ThrowIfFailed(void* status) const {
  if (status == nullptr) {
    return;
  }
  const RuntimeHandle owned(status, RuntimeRelease{this, RuntimeCall::kReleaseStatus});
  const auto message =
      reinterpret_cast<const char* (*)(const void*)>(At(RuntimeCall::kGetErrorMessage));
  throw Error(ErrorKind::kUnsupported, message(status));
}

}  // namespace halftone
