// Networks whose outputs are integers or booleans.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/rng.h"
#include "tests/support/model_writer.h"

namespace halftone::testing {

inline constexpr std::int64_t kRows = 4;
inline constexpr std::int64_t kWidth = 16;
inline constexpr std::int64_t kSamples = 6;

inline std::vector<float> Drawn(std::int64_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(rng.Below(2001)) / 1000.0F - 1);
  }
  return values;
}

// x, a product, a Relu, a product: "scores".
inline ModelWriter Scores() {
  ModelWriter writer;
  writer.Input("x", {kRows, kWidth});
  writer.Floats("w0", {kWidth, kWidth}, Drawn(kWidth * kWidth, 1));
  writer.Floats("w1", {kWidth, kWidth}, Drawn(kWidth * kWidth, 2));
  writer.Floats("zero", {1}, {0});
  writer.Node("MatMul", "first", {"x", "w0"}, {"h0"});
  writer.Node("Relu", "relu", {"h0"}, {"h1"});
  writer.Node("MatMul", "second", {"h1", "w1"}, {"scores"});
  return writer;
}

inline ModelWriter ArgMaxEnd() {
  ModelWriter writer = Scores();
  ModelWriter::SetInt(writer.Node("ArgMax", "best_of", {"scores"}, {"best"}), "axis", -1);
  writer.Output("best");
  return writer;
}

// Each class has a twin that is larger by less than float16 tells apart.
inline ModelWriter NearTies() {
  ModelWriter writer = ArgMaxEnd();
  auto* weights = writer.graph().mutable_initializer(1)->mutable_float_data();
  for (std::int64_t row = 0; row < kWidth; ++row) {
    for (std::int64_t column = 0; column < kWidth / 2; ++column) {
      const auto twin = static_cast<int>(row * kWidth + column);
      weights->Set(twin + static_cast<int>(kWidth) / 2, weights->Get(twin) * (1 + 1e-5F) + 1e-6F);
    }
  }
  return writer;
}

inline ModelWriter IsNanEnd() {
  ModelWriter writer = Scores();
  writer.Node("IsNaN", "is_nan", {"scores"}, {"broken"});
  writer.Output("broken");
  return writer;
}

inline ModelWriter GreaterEnd() {
  ModelWriter writer = Scores();
  writer.Node("Greater", "above", {"scores", "zero"}, {"mask"});
  writer.Output("mask");
  return writer;
}

// Nothing is left to compute: the extents are known.
inline ModelWriter ShapeEnd() {
  ModelWriter writer = Scores();
  writer.Node("Shape", "extents", {"scores"}, {"shape"});
  writer.Output("shape");
  return writer;
}

inline ModelWriter EmptyEnd() {
  ModelWriter writer = Scores();
  writer.Integers("none", {0});
  writer.Node("Greater", "above", {"scores", "zero"}, {"mask"});
  writer.Integers("axis", {0});
  writer.Node("Slice", "cut", {"mask", "none", "none", "axis"}, {"nothing"});
  writer.Output("nothing");
  return writer;
}

inline ModelWriter MixedEnd() {
  ModelWriter writer = ArgMaxEnd();
  writer.Output("scores");
  return writer;
}

}  // namespace halftone::testing
