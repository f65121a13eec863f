#include "src/runtimes/onnxruntime/ort_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "src/base/error.h"

namespace halftone {
namespace {

// The first version with every call that is not in kSinceRows.
constexpr int kOldestMinor = 11;
// A runtime that is asked for a newer API than it has prints a line to standard error.
constexpr int kNewestMinor = 29;
constexpr int kLogFatal = 4;

struct SinceRow {
  OrtCall first;
  OrtCall last;
  int minor;
  std::string_view what;
};

constexpr SinceRow kSinceRows[] = {
    {OrtCall::kAppendProvider, OrtCall::kAppendProvider, 12, "execution providers by name"},
    {OrtCall::kAppendCann, OrtCall::kReleaseCannOptions, 13, "the CANN execution provider"},
    {OrtCall::kAppendDnnl, OrtCall::kReleaseDnnlOptions, 15, "options of the oneDNN provider"},
};

}  // namespace

int OrtMinorOf(const std::string& version) {
  constexpr std::string_view kMajor = "1.";
  int minor = 0;
  if (!version.starts_with(kMajor)) {
    return 0;
  }
  const char* const end = version.data() + version.size();
  const auto [stop, error] = std::from_chars(version.data() + kMajor.size(), end, minor);
  return error == std::errc() && (stop == end || *stop == '.') ? minor : 0;
}

void OrtRelease::operator()(void* object) const {
  api->CallVoid(call, object);
}

OrtApi::OrtApi(const std::filesystem::path& library) {
  // struct OrtApiBase
  struct Base {
    const AnyFunction* (*functions)(std::uint32_t version);
    const char* (*version)();
  };

  // A path, unlike a name that is looked for, is opened by the loader whatever it leads to, which
  // waits at a FIFO.
  std::error_code code;
  const std::filesystem::file_type type = std::filesystem::status(library, code).type();
  if (library.has_parent_path() && std::filesystem::exists(std::filesystem::file_status(type)) &&
      type != std::filesystem::file_type::regular) {
    throw Error(ErrorKind::kIo,
                fmt::format("cannot load ONNX Runtime: expected a regular file, found a folder, a "
                            "pipe or a device at '{}'; name its libonnxruntime.so.1",
                            library.string()));
  }
  // Never closed: the runtime has threads and exit handlers of its own.
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw Error(
        ErrorKind::kIo,
        fmt::format("cannot load ONNX Runtime: {}; name its libonnxruntime.so.1", dlerror()));
  }
  const auto base_of = reinterpret_cast<const Base* (*)()>(dlsym(handle, "OrtGetApiBase"));
  if (base_of == nullptr) {
    throw Error(ErrorKind::kIo,
                fmt::format("'{}' is not ONNX Runtime: it has no OrtGetApiBase", library.string()));
  }
  const Base* const base = base_of();
  version_ = base->version();
  minor_ = std::min(OrtMinorOf(version_), kNewestMinor);
  if (minor_ < kOldestMinor) {
    throw Error(ErrorKind::kIo,
                fmt::format("'{}' is ONNX Runtime {}; expected version 1.{} or newer",
                            library.string(), version_, kOldestMinor));
  }
  functions_ = base->functions(static_cast<std::uint32_t>(minor_));
  if (functions_ == nullptr) {
    throw Error(ErrorKind::kIo, fmt::format("ONNX Runtime {} does not offer version {} of its API",
                                            version_, minor_));
  }
  environment_ = Make(OrtCall::kCreateEnv, OrtCall::kReleaseEnv, kLogFatal,
                      static_cast<const char*>("halftone"));
}

OrtApi::AnyFunction OrtApi::At(OrtCall call) const {
  for (const SinceRow& row : kSinceRows) {
    if (row.first <= call && call <= row.last && minor_ < row.minor) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("ONNX Runtime {} has no {}: version 1.{} has", version_, row.what,
                              row.minor));
    }
  }
  return functions_[static_cast<std::size_t>(call)];
}

std::string OrtApi::TakeText(void* allocator, char* text) const {
  std::string copy(text);
  Call(OrtCall::kFree, allocator, static_cast<void*>(text));
  return copy;
}

void OrtApi::ThrowIfFailed(void* status) const {
  if (status == nullptr) {
    return;
  }
  const OrtHandle owned(status, OrtRelease{this, OrtCall::kReleaseStatus});
  const auto message =
      reinterpret_cast<const char* (*)(const void*)>(At(OrtCall::kGetErrorMessage));
  throw Error(ErrorKind::kUnsupported, message(status));
}

}  // namespace halftone
