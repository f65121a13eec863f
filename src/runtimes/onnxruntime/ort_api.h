// ONNX Runtime through its C API, loaded when the program runs: the build needs nothing of it. The
// API is a struct of function pointers that only ever grows at its end. So the few functions used
// here are reached by their position (onnxruntime_c_api.h, struct OrtApi).
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace halftone {

// Positions in struct OrtApi. kSinceRows in ort_api.cc lists functions that version 1.11 lacks.
enum class OrtCall : std::size_t {
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kCreateSession = 7,
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
  kCreateMemoryInfo = 68,
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
  kEndProfiling = 110,
  kAvailableProviders = 125,
  kReleaseAvailableProviders = 126,
  kAddConfigEntry = 130,
  kRunWithBinding = 133,
  kCreateBinding = 134,
  kReleaseBinding = 135,
  kBindInput = 136,
  kBindOutput = 137,
  kBindOutputToDevice = 138,
  kBoundOutputs = 140,
  kAppendTensorRt = 170,
  kCreateTensorRtOptions = 171,
  kUpdateTensorRtOptions = 172,
  kReleaseTensorRtOptions = 174,
  kSynchronizeOutputs = 203,
  kAppendCuda = 204,
  kCreateCudaOptions = 205,
  kUpdateCudaOptions = 206,
  kReleaseCudaOptions = 208,
  kAppendProvider = 216,
  kAppendCann = 220,
  kCreateCannOptions = 221,
  kUpdateCannOptions = 222,
  kReleaseCannOptions = 224,
  kAppendDnnl = 239,
  kCreateDnnlOptions = 240,
  kUpdateDnnlOptions = 241,
  kReleaseDnnlOptions = 243,
};

class OrtApi;

struct OrtRelease {
  const OrtApi* api = nullptr;
  OrtCall call = OrtCall::kReleaseValue;
  void operator()(void* object) const;
};

// An object of the runtime, released by its own function.
using OrtHandle = std::unique_ptr<void, OrtRelease>;

// Owner of the library and its environment. Make one for each library; it must outlive everything
// made with it.
class OrtApi {
 public:
  // Error kIo: no such library, another library or file, or a version before 1.11.
  explicit OrtApi(const std::filesystem::path& library);

  // "1.30.0"
  [[nodiscard]] const std::string& version() const { return version_; }

  [[nodiscard]] void* environment() const { return environment_.get(); }

  // Calls a function that returns a status. Arguments have exactly the types of the C function.
  // Error kUnsupported, with the runtime's own message, or naming the version that has the
  // function.
  template <typename... Arguments>
  void Call(OrtCall call, Arguments... arguments) const {
    ThrowIfFailed(reinterpret_cast<void* (*)(Arguments...)>(At(call))(arguments...));
  }

  // Calls a function whose last argument receives a new object.
  template <typename... Arguments>
  [[nodiscard]] OrtHandle Make(OrtCall call, OrtCall release, Arguments... arguments) const {
    void* made = nullptr;
    Call(call, arguments..., &made);
    return {made, OrtRelease{this, release}};
  }

  // Calls a function that returns nothing.
  template <typename... Arguments>
  void CallVoid(OrtCall call, Arguments... arguments) const {
    reinterpret_cast<void (*)(Arguments...)>(At(call))(arguments...);
  }

  // Copies a text that the runtime allocated by `allocator`, and frees the original.
  [[nodiscard]] std::string TakeText(void* allocator, char* text) const;

 private:
  using AnyFunction = void (*)();

  // Error kUnsupported: this version does not have the function.
  [[nodiscard]] AnyFunction At(OrtCall call) const;

  void ThrowIfFailed(void* status) const;

  const AnyFunction* functions_ = nullptr;
  int minor_ = 0;
  std::string version_;
  OrtHandle environment_;
};

// Version of the API, which is the second number of ONNX Runtime's version: 30 for "1.30.0". 0 if
// `version` has another form.
int OrtMinorOf(const std::string& version);

}  // namespace halftone
