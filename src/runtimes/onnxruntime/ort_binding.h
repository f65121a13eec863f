// Inputs and outputs bound to a session of ONNX Runtime, so that runs copy nothing between the host
// and a device.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/ir/tensor.h"
#include "src/runtimes/onnxruntime/ort_session.h"

namespace halftone {

// Binding of memory to the inputs and outputs of a session, for one thread at a time. `session`
// must outlive it.
class OrtBinding {
 public:
  // `inputs` by name; inputs that the network does not have are ignored. They are copied to the
  // device of the session once. `memory`: where results stay, such as "Cuda"; empty: on the host.
  // Error kUnsupported: an input is missing, or the runtime refuses one.
  OrtBinding(const OrtSession& session, const std::map<std::string, Tensor>& inputs,
             const std::string& memory = {});

  // The first run allocates the outputs; later runs write to the same memory. Returns when the
  // outputs are complete.
  void Run();

  // The outputs of the last run, in the order of the model. Requires a run, and results on the
  // host.
  [[nodiscard]] std::vector<Tensor> Outputs() const;

 private:
  [[nodiscard]] OrtHandle ValueOf(const Tensor& tensor) const;
  [[nodiscard]] Tensor TensorOf(void* value) const;
  void KeepOutputs();

  const OrtSession& session_;
  const OrtApi& api_;
  std::vector<Tensor> tensors_;  // hold the data of the input values
  std::vector<OrtHandle> inputs_;
  OrtHandle binding_;
  std::vector<OrtHandle> outputs_;
};

}  // namespace halftone
