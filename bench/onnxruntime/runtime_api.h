// ONNX Runtime through its C API, loaded when the program runs: nothing of it is needed to build.
// The API is a struct of function pointers that only ever grows at its end, so the few used here
// are reached by their position (onnxruntime_c_api.h, struct OrtApi, the same since version 1.11).
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace halftone {

// Positions in struct OrtApi.
enum class RuntimeCall : std::size_t {
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kCreateSessionFromArray = 8,
  kRun = 9,
  kCreateSessionOptions = 10,
  kSetOptimizedModelPath = 11,
  kEnableProfiling = 14,
  kSetGraphOptimizationLevel = 23,
  kSetIntraOpThreads = 24,
  kSetInterOpThreads = 25,
  kInputCount = 30,
  kOutputCount = 31,
  kInputName = 36,
  kOutputName = 37,
  kCreateTensorWithData = 49,
  kTensorData = 51,
  kElementType = 60,
  kDimensionCount = 61,
  kDimensions = 62,
  kTensorInfo = 65,
  kCreateCpuMemoryInfo = 69,
  kFree = 76,
  kDefaultAllocator = 78,
  kReleaseEnv = 92,
  kReleaseStatus = 93,
  kReleaseMemoryInfo = 94,
  kReleaseSession = 95,
  kReleaseValue = 96,
  kReleaseTensorInfo = 99,
  kReleaseSessionOptions = 100,
};

class RuntimeApi;

struct RuntimeRelease {
  const RuntimeApi* api = nullptr;
  RuntimeCall call = RuntimeCall::kReleaseValue;
  void operator()(void* object) const;
};

// An object of the runtime, released by its own function.
using RuntimeHandle = std::unique_ptr<void, RuntimeRelease>;

// Owner of the library and its environment; one per process, outlives everything made with it.
class RuntimeApi {
 public:
  // Error kIo: no such library, or one that is not ONNX Runtime.
  explicit RuntimeApi(const std::filesystem::path& library);

  // "1.30.0"
  [[nodiscard]] const std::string& version() const { return version_; }

  [[nodiscard]] void* environment() const { return environment_.get(); }

  // Error kUnsupported with the runtime's own message. Arguments have exactly the types of the C
  // function.
  template <typename... Arguments>
  void Call(RuntimeCall call, Arguments... arguments) const {
    ThrowIfFailed(reinterpret_cast<void* (*)(Arguments...)>(At(call))(arguments...));
  }

  // Calls a function whose last argument receives a new object.
  template <typename... Arguments>
  [[nodiscard]] RuntimeHandle Make(RuntimeCall call, RuntimeCall release,
                                   Arguments... arguments) const {
    void* made = nullptr;
    Call(call, arguments..., &made);
    return {made, RuntimeRelease{this, release}};
  }

 private:
  friend struct RuntimeRelease;
  using AnyFunction = void (*)();

  [[nodiscard]] AnyFunction At(RuntimeCall call) const {
    return functions_[static_cast<std::size_t>(call)];
  }

  void ThrowIfFailed(void* status) const;

  const AnyFunction* functions_ = nullptr;
  std::string version_;
  RuntimeHandle environment_;
};

}  // namespace halftone
