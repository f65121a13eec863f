// A made-up record of a calibration for tests of its file and of reports.
#pragma once

#include "src/quantization/calibration_record.h"

namespace halftone::testing {

// The record of 100 values from -1 to 3, of which 5 lie on either side of the chosen range, 0.0 to
// 2.55; and of the result of a MaxPool of the same values.
inline CalibrationRecord ExampleRecord() {
  TensorHistogram histogram({-1, 3}, 8);
  histogram.counts = {0, 5, 20, 30, 20, 12, 8, 5};
  histogram.zeros = 10;
  const ActivationScale scale{.scale = 0.01F, .zero_point = 0};
  const TensorRecord::Seen seen{.method = "percentile:99.99",
                                .observed = {-1, 3},
                                .loss = LossByScale(histogram, scale),
                                .source = "conv1:0"};
  CalibrationRecord record{.source = {.tool_version = "0.1.0",
                                      .model = Hash128{1, 2},
                                      .calibration_data = Hash128{3, 4},
                                      .method = "auto",
                                      .samples = 64}};
  record.tensors = {
      {.name = "x", .type = "float32 1x3x8x8", .producer = {}, .op = {}, .readers = {"conv1"}},
      {.name = "conv1:0",
       .type = "float32 1x4x8x8",
       .producer = "conv1",
       .op = "Conv2D",
       .readers = {"pool", "conv2"},
       .scale = scale,
       .factors = Spread{0.25, 1, 8},
       .seen = seen,
       .histogram = histogram},
      {.name = "pool:0",
       .type = "float32 1x4x4x4",
       .producer = "pool",
       .op = "MaxPoolV3",
       .readers = {"fc|odd \"name\""},
       .scale = scale,
       .factors = {},
       .seen = seen}};
  record.weights = {
      {.name = "conv1.weight",
       .node = "conv1",
       .op = "Conv2D",
       .channels = 4,
       .zero_channels = 1,
       .scales = {0.001, 0.01, 0.125},
       .factors = Spread{0.25, 1, 8},
       .bias_shifts = Spread{0, 0.001, 0.02},
       .channels_a_place = 1,
       .places = {{-0.127, 0.1, 0.001}, {-1.27, 1, 0.01}, {0, 0, 1}, {-2, 15.875, 0.125}}},
      {.name = "fc.weight",
       .node = "fc",
       .op = "MatMulV2",
       .channels = 300,
       .scales = {0.01, 0.01, 0.01}}};
  return record;
}

}  // namespace halftone::testing
