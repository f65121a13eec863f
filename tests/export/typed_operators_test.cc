// The table of types against the schemas of the onnx library.
#include "src/export/typed_operators.h"

#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include <set>
#include <string>
#include <utility>

namespace halftone {
namespace {

TEST(TypedOperators, FirstOpsets) {
  EXPECT_EQ(FirstOpsetOf("Conv", DType::kBFloat16), 22);
  EXPECT_EQ(FirstOpsetOf("MatMul", DType::kBFloat16), 13);
  EXPECT_EQ(FirstOpsetOf("Conv", DType::kFloat16), 1);
  EXPECT_EQ(FirstOpsetOf("CumSum", DType::kFloat16), 14);
  EXPECT_EQ(FirstOpsetOf("Einsum", DType::kBFloat16), std::nullopt);
  EXPECT_EQ(FirstOpsetOf("NonMaxSuppression", DType::kFloat16), std::nullopt);
}

// The table against the schemas of the onnx library, as far as it knows opsets.
TEST(TypedOperators, AgreeWithTheSchemas) {
  const int newest = onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;
  int compared = 0;
  const std::set<std::string> others = {"Scan", "QuantizeLinear", "CastLike", "OneHot"};
  std::set<std::string> names;
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas()) {
    // Operators with bodies, on integers, or whose type is an operand's stay as they are.
    if (schema.domain().empty() && !others.contains(schema.Name()) && !schema.inputs().empty() &&
        !schema.outputs().empty()) {
      names.insert(schema.Name());
    }
  }
  for (const std::string& name : names) {
    for (int opset = 9; opset <= newest; ++opset) {
      const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(name, opset, "");
      if (schema == nullptr || schema->Deprecated() ||
          !schema->inputs()[0].GetTypes().contains(
              onnx::Utils::DataTypeUtils::ToType("tensor(float)"))) {
        continue;
      }
      // Which operands share the type of the first one or of the result.
      for (std::size_t i = 1; i < schema->inputs().size(); ++i) {
        const auto& formal = schema->inputs()[i];
        if (formal.GetTypes().contains(onnx::Utils::DataTypeUtils::ToType("tensor(float)")) &&
            formal.GetOption() != onnx::OpSchema::Variadic) {
          EXPECT_EQ(HasOwnType(name, opset, i),
                    formal.GetTypeStr() != schema->inputs()[0].GetTypeStr() &&
                        formal.GetTypeStr() != schema->outputs()[0].GetTypeStr())
              << name << " " << opset << " operand " << i;
        }
      }
      for (const auto& [dtype, type] : {std::pair(DType::kFloat16, "tensor(float16)"),
                                        std::pair(DType::kBFloat16, "tensor(bfloat16)")}) {
        const bool takes =
            schema->inputs()[0].GetTypes().contains(onnx::Utils::DataTypeUtils::ToType(type));
        const auto since = FirstOpsetOf(name, dtype);
        EXPECT_EQ(since.has_value() && *since <= opset, takes)
            << name << " " << opset << " " << type;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 500);
}

}  // namespace
}  // namespace halftone
