// Session of ONNX Runtime with the inputs on which it is timed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/tensor.h"
#include "src/runtimes/onnxruntime/ort_binding.h"
#include "src/runtimes/onnxruntime/ort_session.h"

namespace halftone {

// Used by one thread at a time.
class RuntimeSession {
 public:
  // Errors: those of OrtSession and OrtBinding.
  RuntimeSession(const OrtApi& api, std::string_view model, const OrtSessionOptions& options,
                 const std::map<std::string, Tensor>& inputs)
      : session_(std::make_unique<OrtSession>(api, model, options)), binding_(*session_, inputs) {}

  void Run() { binding_.Run(); }

  [[nodiscard]] const std::vector<std::string>& output_names() const {
    return session_->output_names();
  }

  // The outputs of the last run, in the order of the model. Requires an earlier run.
  [[nodiscard]] std::vector<Tensor> Outputs() const { return binding_.Outputs(); }

  // Calls OrtSession::EndProfiling().
  std::string EndProfiling() { return session_->EndProfiling(); }

 private:
  std::unique_ptr<OrtSession> session_;
  OrtBinding binding_;
};

}  // namespace halftone
