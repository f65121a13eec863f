// A network loaded by ONNX Runtime, with all graph optimisations. Its threads spin, as they do by
// default.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/runtimes/onnxruntime/ort_api.h"
#include "src/runtimes/onnxruntime/ort_provider.h"

namespace halftone {

struct OrtSessionOptions {
  int threads = 1;
  std::vector<OrtProvider> providers = {};  // in order of preference; the CPU is always the last
  // Entries of the session configuration (onnxruntime_session_options_config_keys.h).
  std::vector<std::pair<std::string, std::string>> config = {};
  // Prefix of the path of the profile. The runtime times every node, and writes
  // "<prefix>_<time>.json" when profiling ends. Empty: there is no profile.
  std::string profile_prefix = {};
  // Path of the optimised model. It is written after the optimisations that need no kernels of the
  // runtime's own: folding of constants and of BatchNormalization. Only these then run. Empty:
  // nothing is written.
  std::string folded_path = {};
};

// Immutable, except for its profile. `api` must outlive it.
class OrtSession {
 public:
  // `model` is a serialised model. Error kUnsupported: the runtime refuses the network or a
  // provider.
  OrtSession(const OrtApi& api, std::string_view model, const OrtSessionOptions& options);
  // Loads the model from a file, which may have its weights beside it.
  OrtSession(const OrtApi& api, const std::filesystem::path& model,
             const OrtSessionOptions& options);

  [[nodiscard]] const OrtApi& api() const { return *api_; }

  [[nodiscard]] void* get() const { return session_.get(); }

  [[nodiscard]] const std::vector<std::string>& input_names() const { return input_names_; }

  [[nodiscard]] const std::vector<std::string>& output_names() const { return output_names_; }

  // Ends profiling. Returns the path of the profile. Requires a profile_prefix.
  std::string EndProfiling();

 private:
  void ReadNames();
  [[nodiscard]] std::vector<std::string> Names(OrtCall count, OrtCall name) const;

  const OrtApi* api_;
  OrtHandle session_;
  std::vector<std::string> input_names_;
  std::vector<std::string> output_names_;
};

}  // namespace halftone
