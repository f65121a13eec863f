#include "src/qaic/input_shapes.h"

#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr std::int64_t kFree = kFreeDimension;

// x: [batch, 3, size, size] by symbols; ids: [?, 8]; fixed: [1, 4].
std::vector<ModelInput> Inputs() {
  return {{"x", {kFree, 3, kFree, kFree}, {"batch", "", "size", "size"}},
          {"ids", {kFree, 8}, {"", ""}},
          {"fixed", {1, 4}, {"", ""}}};
}

QaicCompileOptions Options(std::vector<std::string> words) {
  words.insert(words.begin(), "-m=a.onnx");
  return ParseQaicOptions(words);
}

struct Row {
  std::vector<std::string> words;
  const char* text;  // or the message
};

const Row kRows[] = {
    {{"-onnx-define-symbol=batch,1", "-onnx-define-symbol=size,16", "-model-input=ids,int64,[2,8]"},
     "x:1,3,16,16;ids:2,8"},
    {{"-batchsize=1", "-onnx-define-symbol=size,16"}, "x:1,3,16,16;ids:1,8"},
    // No elements, as --input_shape takes them: an empty cache.
    {{"-batchsize=1", "-onnx-define-symbol=size,0"}, "x:1,3,0,0;ids:1,8"},
    {{"-onnx-define-symbol=batch,1", "-onnx-define-symbol=size,16", "-model-input=ids,int64,[0,8]"},
     "x:1,3,16,16;ids:0,8"},
    {{"-model-input=x,float,[1,3,5,7]", "-model-input=ids,int64,1,8"}, "x:1,3,5,7;ids:1,8"},
    {{"-onnx-define-symbol=sise,16"},
     "-onnx-define-symbol=sise,16: no input of the model has the symbol 'sise'; did you mean "
     "'size'?"},
    {{"-model-input=zebra,float,[1]"},
     "-model-input: the model has no input 'zebra'; it has x, ids, fixed"},
    {{"-model-input=x,float,[1,3]"}, "-model-input: input 'x' has 4 dimensions, found 2"},
    {{"-batchsize=1"}, "input 'x' leaves dimension 2 free; give -onnx-define-symbol=size,<extent>"},
    {{"-onnx-define-symbol=batch,1", "-onnx-define-symbol=size,16"},
     "input 'ids' leaves dimension 0 free; give -model-input=ids,float,[...] or -batchsize"},
    {{"-batchsize=2", "-onnx-define-symbol=size,16"},
     "-batchsize=2: input 'fixed' has the fixed batch 1; export the model with a free batch, or "
     "leave -batchsize out"},
};

TEST(QaicInputShapesTest, TextOrMessageOfEachRow) {
  for (const Row& row : kRows) {
    std::string found;
    try {
      found = InputShapeText(Inputs(), Options(row.words));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      found = error.what();
    }
    EXPECT_EQ(found, row.text);
  }
}

TEST(QaicInputShapesTest, FixedModelsNeedNothing) {
  EXPECT_EQ(InputShapeText(std::vector<ModelInput>{{"x", {1, 4}, {"", ""}}}, Options({})), "");
}

}  // namespace
}  // namespace halftone
