// Tensors of a typed file: the name that each tensor has in each dtype, and the Casts between them.
//
// A tensor t that is made in float16 has the name t in that type, and t_cast_to_fp32 in float32. A
// tensor t that is made in float32, and read rounded, has the name t_cast_to_fp16 in float16, and
// t_rounded_fp16 back in float32. Each Cast is made once, in front of its first reader. Results of
// the model keep name and type. So do tensors that bodies of If, Loop and Scan take from outside.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "src/export/model_parts.h"
#include "src/ir/dtype.h"
#include "src/ir/tensor.h"

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace halftone {

// "fp16", "bf16" or "fp32": the ending of tensor names.
std::string_view ShortWordOf(DType dtype);

constexpr bool IsLow(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

// Adds constants to `file` and nodes to `made`, in the order of the calls. Refers to both.
class TypedTensors {
 public:
  TypedTensors(onnx::GraphProto& file, onnx::GraphProto& made);

  // Requires a tensor to have its own name in `dtype`. Call it before the tensor is made.
  void Fix(const std::string& name, DType dtype) { fixed_[name] = dtype; }

  // Adds a float32 constant of the model. Call it before the constant is read.
  void SetConstant(const std::string& name, const Tensor& tensor) { constants_[name] = tensor; }

  // Adds an input of the model, of `dtype` in the file.
  void AddInput(const std::string& name, DType dtype);

  // The name under which the producer of a tensor has to write it, in `dtype`. `rounding` is
  // `dtype`, or the type to which a Cast behind the producer rounds the tensor.
  std::string NameOfMade(const std::string& name, DType dtype, DType rounding);

  // Adds the Casts that follow a producer. Call it after NameOfMade(), with the same arguments.
  void Made(const std::string& name, DType dtype, DType rounding);

  // The dtype in which a tensor was made; float32 if it was not made here.
  [[nodiscard]] DType DTypeOf(const std::string& name) const;

  // The name of a tensor in the dtype in which it was made.
  [[nodiscard]] std::string NameOf(const std::string& name) const;

  // The dtype of the tensor under its own name.
  [[nodiscard]] DType OwnTypeOf(const std::string& name) const;

  // The name of a tensor with numbers of `rounding` in elements of `dtype`, which is `rounding` or
  // float32. `clip`: elements of constants beyond the float16 range become its largest value.
  std::string As(const std::string& name, DType rounding, DType dtype, bool clip);

  void AddNode(onnx::NodeProto node);

  // Gives a converted constant the constant's own name back, if nothing reads that name any more.
  void NameConstants();

  // Number of Casts added.
  [[nodiscard]] std::int64_t casts() const { return casts_; }

  // Number of elements of constants that were clipped.
  [[nodiscard]] std::int64_t clipped() const { return clipped_; }

  // Number of nonzero elements of constants that became zero.
  [[nodiscard]] std::int64_t vanished() const { return vanished_; }

 private:
  struct Place {
    std::string name;
    DType dtype = DType::kFloat32;
  };

  std::string Cast(const std::string& from, DType to, const std::string& name);
  // The name of a tensor in `dtype`; adds a Cast if there is none yet.
  std::string In(const std::string& name, DType dtype);
  std::string ConstantAs(const std::string& name, DType rounding, DType dtype, bool clip);

  onnx::GraphProto& file_;
  onnx::GraphProto& made_;
  ModelParts parts_;
  std::map<std::string, DType, std::less<>> fixed_;
  std::map<std::string, Tensor, std::less<>> constants_;
  std::map<std::string, Place, std::less<>> places_;  // where each tensor was made
  std::map<std::pair<std::string, DType>, std::string> typed_;
  std::map<std::pair<std::string, DType>, std::string> rounded_;  // names in float32 again
  std::map<std::string, std::string, std::less<>> converted_;  // own names of converted constants
  std::int64_t casts_ = 0;
  std::int64_t clipped_ = 0;
  std::int64_t vanished_ = 0;
};

}  // namespace halftone
