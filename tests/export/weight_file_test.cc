// Models whose weights lie in a file beside them.
#include "src/export/weight_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <filesystem>
#include <map>

#include "src/exec/host_target.h"
#include "src/export/onnx_mixed.h"
#include "src/onnx/initializer.h"
#include "src/precision/resolve/resolve.h"
#include "tests/export/written_model.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::Imported;
using testing::ModelWriter;
using testing::SmallNet;

constexpr std::size_t kSmall = 5000;  // bytes of a message

std::string ContentOf(const WeightFile& weights) {
  std::string content;
  weights.Write([&](std::string_view bytes) { content += bytes; });
  return content;
}

// A network with weights of 2304 and 4608 elements.
SmallNet Network() {
  SmallNet net;
  net.Weights("wide_w", {64, 4, 3, 3});
  net.Weights("narrow_w", {8, 64, 3, 3});
  net.Node("Conv", "wide", {"x", "wide_w"}, {"w"});
  net.Node("Relu", "act", {"w"}, {"r"});
  net.Node("Conv", "narrow", {"r", "narrow_w"}, {"y"});
  return net;
}

struct Wrote {
  std::string message;
  WeightFile weights;
};

// The kinds of files that are models.
enum class Kind { kMixed, kRounded, kQdq };

Wrote WriteAs(Kind kind, const fs::path& model, const ModelForm& form) {
  const Graph graph = Imported(model);
  if (kind == Kind::kQdq) {
    const std::vector<std::vector<Tensor>> samples = {testing::RandomInputs(graph, 1)};
    const PrecisionPlan plan =
        testing::PlanIn(graph, testing::RangesOn(graph, samples), testing::AllInQInt8);
    QdqModel written = WriteOnnxQdq(model, graph, plan, QdqFlavour::kOrt, form);
    return {std::move(written.bytes), std::move(written.weights)};
  }
  const PrecisionPlan plan =
      ResolvePrecision(graph, {.precision_mode = "allow_mix_precision_fp16"}, HostTarget());
  if (kind == Kind::kRounded) {
    QdqModel written = WriteOnnxQdq(model, graph, plan, QdqFlavour::kOrt, form);
    return {std::move(written.bytes), std::move(written.weights)};
  }
  MixedModel written = WriteOnnxMixed(model, graph, plan, form);
  return {std::move(written.bytes), std::move(written.weights)};
}

fs::path Save(const Wrote& written, const std::string& name, const std::string& data_name) {
  const fs::path folder = fs::path(::testing::TempDir()) / "halftone_weights";
  WriteFileAtomically(folder / name, written.message);
  WriteFileAtomically(folder / data_name, ContentOf(written.weights));
  return folder / name;
}

std::int64_t Number(const std::string& text) {
  std::int64_t number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

TEST(WeightFile, PiecesBeginAtPages) {
  WeightFile weights;
  EXPECT_TRUE(weights.empty());
  EXPECT_EQ(weights.Add(std::string("abc")), 0);
  EXPECT_EQ(weights.Add(Tensor::From<float>({2}, std::vector{1.0F, 2.0F})), 4096);
  EXPECT_EQ(weights.Add(std::string(4096, 'x')), 8192);
  EXPECT_EQ(weights.Add(std::string()), 12288);
  EXPECT_EQ(weights.size_bytes(), 12288);
  const std::string content = ContentOf(weights);
  ASSERT_EQ(content.size(), 12288U);
  EXPECT_EQ(content.substr(0, 5), std::string("abc\0\0", 5));
  EXPECT_EQ(content.substr(4096, 4), std::string("\0\0\x80\x3f", 4));
}

TEST(WeightFile, ASinkThatThrowsEndsTheWork) {
  WeightFile weights;
  weights.Add(std::string(40 << 20, 'x'));
  int calls = 0;
  EXPECT_THROW(weights.Write([&](std::string_view bytes) {
    EXPECT_LE(bytes.size(), 16U << 20);
    if (++calls == 3) {
      throw Error(ErrorKind::kIo, "full");
    }
  }),
               Error);
  EXPECT_EQ(calls, 3);
}

class WeightsBeside : public ::testing::TestWithParam<Kind> {};

// The model is the same, with the same bits, whether its weights lie in it or beside it.
TEST_P(WeightsBeside, TheModelIsTheSame) {
  const fs::path source = Network().Save();
  const Wrote whole = WriteAs(GetParam(), source, {});
  EXPECT_TRUE(whole.weights.empty());
  const Wrote parted =
      WriteAs(GetParam(), source, {.most_bytes = kSmall, .data_name = "parted.onnx.data"});
  ASSERT_FALSE(parted.weights.empty());
  EXPECT_LE(parted.message.size(), kSmall);
  onnx::ModelProto with;
  onnx::ModelProto without;
  ASSERT_TRUE(with.ParseFromString(whole.message));
  ASSERT_TRUE(without.ParseFromString(parted.message));
  const std::string content = ContentOf(parted.weights);
  EXPECT_EQ(std::ssize(content), parted.weights.size_bytes());
  ASSERT_EQ(with.graph().initializer_size(), without.graph().initializer_size());
  int beside = 0;
  for (int i = 0; i < with.graph().initializer_size(); ++i) {
    const onnx::TensorProto& inner = with.graph().initializer(i);
    onnx::TensorProto outer = without.graph().initializer(i);
    if (outer.data_location() == onnx::TensorProto::EXTERNAL) {
      ++beside;
      std::map<std::string, std::string> entries;
      for (const auto& entry : outer.external_data()) {
        entries[entry.key()] = entry.value();
      }
      EXPECT_EQ(entries["location"], "parted.onnx.data");
      EXPECT_EQ(Number(entries["offset"]) % kWeightAlignment, 0);
      const std::int64_t length = Number(entries["length"]);
      EXPECT_GE(length, 1024);
      ASSERT_LE(Number(entries["offset"]) + length, std::ssize(content));
      outer.set_raw_data(content.substr(static_cast<std::size_t>(Number(entries["offset"])),
                                        static_cast<std::size_t>(length)));
      outer.clear_data_location();
      outer.clear_external_data();
    }
    EXPECT_EQ(DoublesOf(TensorOf(outer, {})), DoublesOf(TensorOf(inner, {}))) << inner.name();
  }
  EXPECT_GE(beside, 1);
  const fs::path path = Save(parted, "parted.onnx", "parted.onnx.data");
  const Graph read = Imported(path);
  const Graph expected = Imported(Save(whole, "whole.onnx", "whole.onnx.data"));
  EXPECT_EQ(HashOf(read), HashOf(expected));
}

// Data that lie beside the old model come along, into the message or into the file of its own.
TEST_P(WeightsBeside, DataBesideTheOldModelComeAlong) {
  SmallNet net = Network();
  std::string data;
  for (auto& tensor : *net.graph().mutable_initializer()) {
    const Tensor values = TensorOf(tensor, {});
    onnx::TensorProto outer;
    outer.set_name(tensor.name());
    outer.set_data_type(tensor.data_type());
    *outer.mutable_dims() = tensor.dims();
    outer.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] :
         {std::pair<std::string, std::string>("location", "old.data"),
          std::pair<std::string, std::string>("offset", std::to_string(data.size())),
          std::pair<std::string, std::string>("length", std::to_string(values.size_bytes()))}) {
      auto& entry = *outer.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    data.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    tensor = outer;
  }
  const fs::path inner = Network().Save();
  const fs::path folder = fs::path(::testing::TempDir()) / "halftone_old_weights";
  const fs::path outer = folder / "old.onnx";
  WriteFileAtomically(outer, net.model.SerializeAsString());
  WriteFileAtomically(folder / "old.data", data);
  EXPECT_EQ(WriteAs(GetParam(), outer, {}).message, WriteAs(GetParam(), inner, {}).message);
  const ModelForm form{.most_bytes = kSmall};
  const Wrote of_outer = WriteAs(GetParam(), outer, form);
  const Wrote of_inner = WriteAs(GetParam(), inner, form);
  EXPECT_EQ(of_outer.message, of_inner.message);
  EXPECT_EQ(ContentOf(of_outer.weights), ContentOf(of_inner.weights));
}

TEST_P(WeightsBeside, WhatCannotLieBesideIsCounted) {
  try {
    static_cast<void>(WriteAs(GetParam(), Network().Save(), {.most_bytes = 200}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.what(), HasSubstr("an ONNX file holds at most 200"));
  }
}

// Its plan is in its nodes already: a second one would be on top.
TEST_P(WeightsBeside, AnExportedFileIsNotExportedAgain) {
  const Wrote once = WriteAs(GetParam(), Network().Save(), {});
  const fs::path path = Save(once, "once.onnx", "once.onnx.data");
  for (const Kind kind : {Kind::kMixed, Kind::kRounded}) {
    try {
      static_cast<void>(WriteAs(kind, path, {}));
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
      EXPECT_THAT(error.what(), HasSubstr("is a file that halftone exported"));
      EXPECT_THAT(error.what(), HasSubstr("export from the model that it was made of"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, WeightsBeside,
                         ::testing::Values(Kind::kMixed, Kind::kRounded, Kind::kQdq),
                         [](const auto& c) {
                           return c.param == Kind::kMixed     ? "Mixed"
                                  : c.param == Kind::kRounded ? "Rounded"
                                                              : "Qdq";
                         });

}  // namespace
}  // namespace halftone
