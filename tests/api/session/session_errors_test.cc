// Sentences of a session: what was expected, what was found, where, what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "halftone/session.h"
#include "src/base/error.h"
#include "tests/api/session/digits_point.h"

namespace halftone {
namespace {

using ::halftone::testing::Digit;
using ::halftone::testing::DigitsModel;
using ::halftone::testing::DigitsPoint;

std::string ErrorOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage) << error.what();
    return error.what();
  }
  return "no error";
}

class SessionErrorsTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string RunError(const Tensor& input) const {
    return ErrorOf([&] { (void)session_.Run({{input}}); });
  }

  Session session_ = Session(DigitsModel(), {.threads = 1});
};

TEST_F(SessionErrorsTest, OtherDtypesAreNotConverted) {
  EXPECT_EQ(RunError(Tensor(DType::kFloat64, Shape({1, 1, 8, 8}))),
            "input 'pixels': expected float32 1x1x8x8, found double 1x1x8x8; nothing is "
            "converted; convert it before the run");
  EXPECT_THAT(RunError(Tensor(DType::kInt32, Shape({1, 1, 8, 8}))),
              ::testing::HasSubstr("found int32 1x1x8x8"));
}

TEST_F(SessionErrorsTest, OtherShapesAreNamed) {
  EXPECT_EQ(RunError(Tensor(DType::kFloat32, Shape({1, 1, 9, 8}))),
            "input 'pixels': expected a shape of the session ('pixels:1,1,8,8'), found float32 "
            "1x1x9x8; give such data, or call AddShape() with its shape first");
}

TEST_F(SessionErrorsTest, InputsWithoutDataAreNamed) {
  const ConstTensorView nothing[] = {{nullptr, DType::kFloat32, session_.inputs()[0].shape}};
  Tensor output(session_.outputs()[0].type());
  const TensorView outputs[] = {MutableViewOf(output)};
  EXPECT_EQ(ErrorOf([&] { session_.Run(nothing, outputs); }),
            "input 'pixels': expected float32 1x1x8x8, found no data; give the address of its "
            "elements");
}

TEST_F(SessionErrorsTest, CountsOfTensors) {
  EXPECT_EQ(ErrorOf([&] { (void)session_.Run(std::span<const Tensor>()); }),
            "expected 1 input, 'pixels', found 0; give each of the network's inputs, in its order");
  const Tensor digit = Digit(0);
  const ConstTensorView inputs[] = {ViewOf(digit)};
  EXPECT_EQ(ErrorOf([&] { session_.Run(inputs, {}); }),
            "expected 1 output, found 0; give each of the network's, in its order");
}

TEST_F(SessionErrorsTest, OutputsOfAnotherShape) {
  const Tensor digit = Digit(0);
  const ConstTensorView inputs[] = {ViewOf(digit)};
  Tensor output(DType::kFloat32, Shape({1, 9}));
  const TensorView outputs[] = {MutableViewOf(output)};
  EXPECT_THAT(ErrorOf([&] { session_.Run(inputs, outputs); }),
              ::testing::HasSubstr("expected float32 1x10, found float32 1x9; give memory of that "
                                   "type and shape, or none for an output that is not wanted"));
}

TEST_F(SessionErrorsTest, NamesOfInputs) {
  using Feeds = std::map<std::string, Tensor>;
  EXPECT_EQ(ErrorOf([&] { (void)session_.Run(Feeds{}); }),
            "input 'pixels': expected float32 1x1x8x8, found none; the network has the inputs "
            "'pixels', give each of them");
  EXPECT_EQ(ErrorOf([&] {
              (void)session_.Run(Feeds{{"pixels", Digit(0)}, {"other", Digit(0)}});
            }),
            "expected the inputs 'pixels', found 'other' too; leave it out");
}

TEST_F(SessionErrorsTest, PlacesOfShapes) {
  EXPECT_EQ(ErrorOf([&] { (void)session_.inputs(1); }),
            "expected the place of a shape below 1, found 1; input_shapes() has them in order");
}

TEST_F(SessionErrorsTest, SessionAfterAnErrorRuns) {
  (void)RunError(Tensor(DType::kFloat64, Shape({1, 1, 8, 8})));
  EXPECT_EQ(session_.Run({{Digit(0)}}).at(0).shape(), Shape({1, 10}));
}

TEST(SessionOptionsTest, OneConfiguration) {
  const DigitsPoint point;
  const std::filesystem::path folder = point.Write({.precision_mode = "force_fp16"});
  const auto open = [&](const SessionOptions& options) {
    return ErrorOf([&] { const Session session(DigitsModel(), options); });
  };
  EXPECT_THAT(open({.point = folder, .precision = std::make_shared<const PrecisionOptions>()}),
              ::testing::HasSubstr("found point and precision; leave out all but one"));
  EXPECT_THAT(open({.point = folder, .target = {.soc_version = "host"}}),
              ::testing::HasSubstr("a point has a target of its own"));
  EXPECT_THAT(open({.point = folder, .input_shapes = {"pixels:2,1,8,8"}}),
              ::testing::HasSubstr("the point is of the input shapes 'pixels:1,1,8,8'"));
  EXPECT_THAT(open({.select = "fastest"}), ::testing::HasSubstr("the session has none"));
  EXPECT_THAT(open({.threads = -1}), "threads=-1: expected a whole number from 0 to 1024");
  EXPECT_THAT(open({.point = folder / "missing"}), ::testing::HasSubstr("missing"));
}

}  // namespace
}  // namespace halftone
