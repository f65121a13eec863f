#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "src/base/error.h"
#include "src/onnx/model_inputs.h"
#include "src/onnx/reader.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;
using testing::ModelWriter;

std::string ErrorOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

TEST(ParseInputShapes, ReadsNamesAndExtents) {
  EXPECT_EQ(ParseInputShapes("x:1,3,224,224; b : 1, 10;"),
            (InputShapes{{"x", {1, 3, 224, 224}}, {"b", {1, 10}}}));
  EXPECT_EQ(ParseInputShapes("serving:0:1,2"), (InputShapes{{"serving:0", {1, 2}}}));
  EXPECT_EQ(ParseInputShapes("scalar:"), (InputShapes{{"scalar", {}}}));
  EXPECT_EQ(ParseInputShapes("past:1,0,32"), (InputShapes{{"past", {1, 0, 32}}}));
  EXPECT_EQ(ParseInputShapes(""), InputShapes{});
}

TEST(ParseInputShapes, SaysWhatWasExpected) {
  const auto message = [](std::string_view text) {
    return ErrorOf([&] { ParseInputShapes(text); });
  };
  EXPECT_THAT(message("1,2"),
              HasSubstr("input shape '1,2': the input's name and a colon are missing"));
  EXPECT_THAT(message("x:1,a"), HasSubstr("'a' is no extent; expected a whole number from 0"));
  EXPECT_THAT(message("x:1,,2"), HasSubstr("'' is no extent"));
  EXPECT_THAT(message("x:-1"), HasSubstr("'-1' is no extent; expected a whole number from 0"));
  EXPECT_THAT(message("x:99999999999999999999"), HasSubstr("is no extent"));
  EXPECT_THAT(message("x:1;x:2"), HasSubstr("the input is named twice"));
  EXPECT_THAT(message(":1"), HasSubstr("expected \"name:1,3,224,224;other:1,10\""));
}

// "?" and the like say that an extent is not known: two of them may differ, within an input, too.
TEST(ReadOnnx, MarksOfUnknownExtentsAreNoNames) {
  for (const char* mark : {"?", "-1", "*", "None", "..."}) {
    ModelWriter writer;
    writer.Input("x", {-1, 3, -1, -1});
    writer.Node("Identity", "i", {"x"}, {"y"});
    writer.Output("y");
    for (auto& dim : *writer.graph()
                          .mutable_input(0)
                          ->mutable_type()
                          ->mutable_tensor_type()
                          ->mutable_shape()
                          ->mutable_dim()) {
      if (dim.has_dim_param()) {
        dim.set_dim_param(mark);
      }
    }
    const ImportResult given = writer.Import({.input_shapes = {{"x", {2, 3, 48, 192}}}});
    EXPECT_EQ(given.graph.value(given.graph.inputs[0]).type.shape, (Shape{2, 3, 48, 192})) << mark;
    EXPECT_EQ(ModelInputsOf(writer.graph()).at(0).symbols,
              (std::vector<std::string>{"", "", "", ""}))
        << mark;
    EXPECT_THAT(ErrorOf([&] {
                  static_cast<void>(writer.Import({.input_shapes = {{"x", {2, 4, 48, 192}}}}));
                }),
                HasSubstr("2,4,48,192 does not fit ?,3,?,? of the model"))
        << mark;
  }
}

}  // namespace
}  // namespace halftone
