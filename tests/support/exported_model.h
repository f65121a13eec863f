// Rules for every ONNX file that is written of a plan.
#pragma once

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "src/ir/tensor.h"
#include "src/onnx/graph_order.h"
#include "src/onnx/initializer.h"

namespace halftone::testing {

// Types of the tensors of the main graph, as far as they follow from its nodes.
inline std::map<std::string, int> TypesIn(const onnx::ModelProto& proto) {
  onnx::ModelProto inferred = proto;
  onnx::shape_inference::InferShapes(inferred);
  std::map<std::string, int> types;
  for (const auto* values :
       {&inferred.graph().input(), &inferred.graph().output(), &inferred.graph().value_info()}) {
    for (const auto& value : *values) {
      types[value.name()] = value.type().tensor_type().elem_type();
    }
  }
  for (const auto& initializer : inferred.graph().initializer()) {
    types[initializer.name()] = initializer.data_type();
  }
  return types;
}

inline bool SameBytes(const Tensor& a, const Tensor& b) {
  return std::equal(a.data(), a.data() + a.size_bytes(), b.data(), b.data() + b.size_bytes());
}

inline bool IsRoundingOf(const Tensor& exact, const Tensor& rounded, DType low) {
  return exact.dtype() == DType::kFloat32 &&
         SameBytes(Convert(Convert(exact, low), DType::kFloat32), rounded);
}

// Expects, except for Casts of the source, that no Cast is to its own type and none occurs twice.
// Expects that every initializer is read and that node names are unique. An initializer with the
// name and type of the source's must have the same bytes, or each element rounded to 16 bits.
// `folder`: folder of the source's external data.
inline void ExpectTidy(const onnx::ModelProto& written, const onnx::ModelProto& source,
                       const std::filesystem::path& folder) {
  std::set<std::string> of_source;  // tensors
  std::set<std::string> named;      // nodes of the source, which may not have names of their own
  std::map<std::string, const onnx::TensorProto*> constants;
  for (const auto& node : source.graph().node()) {
    of_source.insert(node.output().begin(), node.output().end());
    named.insert(node.name());
  }
  for (const auto& initializer : source.graph().initializer()) {
    constants[initializer.name()] = &initializer;
  }
  const std::map<std::string, int> types = TypesIn(written);
  std::set<std::pair<std::string, std::int64_t>> casts;
  std::set<std::string> names;
  std::set<std::string> read;
  for (const auto& output : written.graph().output()) {
    read.insert(output.name());
  }
  for (const auto& node : written.graph().node()) {
    EXPECT_TRUE(node.name().empty() || named.contains(node.name()) ||
                names.insert(node.name()).second)
        << node.name();
    for (const std::string& name : NamesReadBy(node)) {
      read.insert(name);
    }
    if (node.op_type() == "Cast" && !of_source.contains(node.output(0))) {
      const std::int64_t to = node.attribute(0).i();
      EXPECT_TRUE(casts.emplace(node.input(0), to).second) << node.name() << " is there twice";
      if (const auto type = types.find(node.input(0)); type != types.end()) {
        EXPECT_NE(type->second, to) << node.name();
      }
    }
  }
  for (const auto& initializer : written.graph().initializer()) {
    EXPECT_TRUE(read.contains(initializer.name())) << initializer.name();
    const auto old = constants.find(initializer.name());
    if (old == constants.end() || old->second->data_type() != initializer.data_type()) {
      continue;
    }
    const Tensor before = TensorOf(*old->second, folder);
    const Tensor after = TensorOf(initializer, {});
    ASSERT_EQ(before.type(), after.type()) << initializer.name();
    EXPECT_TRUE(SameBytes(before, after) || IsRoundingOf(before, after, DType::kFloat16) ||
                IsRoundingOf(before, after, DType::kBFloat16))
        << initializer.name();
  }
}

}  // namespace halftone::testing
