// A network loaded by ONNX Runtime: all graph optimisations, its threads spinning as they do by
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
  std::vector<OrtProvider> providers = {};  // in order of preference; the CPU's is always the last
  // Entries of the configuration of sessions (onnxruntime_session_options_config_keys.h).
  std::vector<std::pair<std::string, std::string>> config = {};
  // Prefix of the profile: the runtime times every node and writes "<prefix>_<time>.json" when
  // profiling ends. Empty: it does not.
  std::string profile_prefix = {};
  // Path to which the model is written after optimisations without own kernels alone (folding of
  // constants and BatchNormalization). Empty: nothing is written.
  std::string folded_path = {};
};

// Immutable except for its profile.
class OrtSession {
 public:
  // `model`: serialised. Error kUnsupported: the network or a provider is refused.
  OrtSession(const OrtApi& api, std::string_view model, const OrtSessionOptions& options);
  // The same from a file, which may have its weights beside it.
  OrtSession(const OrtApi& api, const std::filesystem::path& model,
             const OrtSessionOptions& options);

  [[nodiscard]] const OrtApi& api() const { return *api_; }

  [[nodiscard]] void* get() const { return session_.get(); }

  [[nodiscard]] const std::vector<std::string>& input_names() const { return input_names_; }

  [[nodiscard]] const std::vector<std::string>& output_names() const { return output_names_; }

  // Ends profiling and returns the path of its file. Requires a profile_prefix.
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
