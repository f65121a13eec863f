// Checks of ONNX files that are written.
#pragma once

#include <gtest/gtest.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <cstddef>

#include "src/ir/graph.h"
#include "tests/support/model_writer.h"

namespace halftone::testing {

// Expects that ONNX's checker and its strict inference of types and shapes accept the model. A
// model with a newer opset than the library's is not checked. Outputs without a type, as in small
// test networks, get that of `graph`.
inline void ExpectValid(const onnx::ModelProto& proto, const Graph& graph) {
  if (proto.opset_import(0).version() >
      onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second) {
    return;
  }
  onnx::ModelProto checked = proto;
  for (int i = 0; i < checked.graph().output_size(); ++i) {
    auto& output = *checked.mutable_graph()->mutable_output(i);
    if (!output.has_type()) {
      const TensorType& type = graph.value(graph.outputs[static_cast<std::size_t>(i)]).type;
      ModelWriter::Describe(output, output.name(), type.shape.dims(), onnx::TensorProto::FLOAT);
    }
  }
  EXPECT_NO_THROW(onnx::checker::check_model(checked));
  const onnx::ShapeInferenceOptions strict(true, 1, true);
  EXPECT_NO_THROW(
      onnx::shape_inference::InferShapes(checked, onnx::OpSchemaRegistry::Instance(), strict));
}

}  // namespace halftone::testing
