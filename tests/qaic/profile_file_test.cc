#include "src/qaic/profile_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/exec/executable.h"
#include "tests/support/net.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Net;

struct Network {
  Network() {
    Net net;
    x = net.Input("x:0", {1, 2});
    w = net.Constant("w", Tensor::From<float>({2, 2}, std::vector<float>{1, 2, 3, -4}));
    product = net.Add(OpKind::kMatMul, "layer/MatMul", {x, w});
    relu = net.Add(OpKind::kRelu, "relu", {product});
    graph = net.Finish({relu});
    for (Node& node : graph.nodes) {
      node.origins[0].output = graph.value(node.outputs[0]).name;
    }
  }

  Graph graph;
  ValueId x{}, w{}, product{}, relu{};
};

const ProfileOrigin kOrigin = {.model = Hasher().Add("model").Finish(),
                               .node_precision = Hasher().Add("lists").Finish()};

ValueProfiles Values(const Network& net) {
  return {{net.x, {-1, 1, {1, 0, 3}}},
          {net.w, {-4, 3, {1, 0, 3}}},
          {net.product, {-2, 5, {2, 2, 0}}},
          {net.relu, {0, 5, {4, 0, 0}}}};
}

std::string MessageOf(const Network& net, const GlowProfile& profile, const ProfileOrigin& origin) {
  try {
    MatchProfile(net.graph, profile, origin, "-load-profile=p.yaml");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

TEST(QaicProfileTest, OursReadsBackToTheSameRanges) {
  const Network net;
  const std::string text =
      WriteGlowProfile(MakeProfile(net.graph, Values(net), kOrigin, "halftone 1.0"));
  EXPECT_THAT(text, HasSubstr("GraphPreLowerHash: 0x0000000000000000"));
  EXPECT_THAT(text, HasSubstr("layer_MatMul:0\n")) << "names are mangled as Glow does";
  const LoadedProfile loaded =
      MatchProfile(net.graph, ParseGlowProfile(text, "p.yaml"), kOrigin, "-load-profile=p.yaml");
  EXPECT_THAT(loaded.warnings, IsEmpty());
  ASSERT_EQ(loaded.values.size(), 4U);
  for (const auto& [value, profile] : Values(net)) {
    EXPECT_EQ(loaded.values.at(value).min, profile.min);
    EXPECT_EQ(loaded.values.at(value).max, profile.max);
    EXPECT_EQ(loaded.values.at(value).counts, profile.counts);
  }
  EXPECT_THAT(loaded.order, ElementsAre(net.x, net.w, net.product, net.relu));
}

TEST(QaicProfileTest, OursBelongsToItsNetworkAndNodePrecision) {
  const Network net;
  const GlowProfile profile = MakeProfile(net.graph, Values(net), kOrigin, "v");
  ProfileOrigin other = kOrigin;
  other.model = Hasher().Add("other").Finish();
  EXPECT_EQ(MessageOf(net, profile, other),
            "-load-profile=p.yaml: it was made of another network, other input shapes or another "
            "batch size (hash " +
                kOrigin.model.ToHex() + ", here " + other.model.ToHex() +
                "); dump it again with this model");
  other = kOrigin;
  other.node_precision = {};
  EXPECT_EQ(MessageOf(net, profile, other),
            "-load-profile=p.yaml: it was made with another -node-precision-info, and this command "
            "has none; the profile must be made with the same node precisions: dump it again");
  EXPECT_EQ(MessageOf(net, MakeProfile(net.graph, Values(net), other, "v"), kOrigin),
            "-load-profile=p.yaml: it was made without -node-precision-info, and this command has "
            "one; the profile must be made with the same node precisions: dump it again");
  other.node_precision = Hasher().Add("other lists").Finish();
  EXPECT_THAT(MessageOf(net, profile, other), HasSubstr("with another -node-precision-info"));
  GlowProfile renamed = profile;
  renamed.records[1].others[0].value.scalar = "gone";
  EXPECT_EQ(MessageOf(net, renamed, kOrigin),
            "-load-profile=p.yaml: the network has no tensor for 1 record: 'w:0'; dump the profile "
            "again with this model");
}

constexpr char kVendor[] =
    "---\nGlowToolsVersion: 2020-01-01\n...\n---\nGraphPreLowerHash: 0xdeadbeef\n...\n---\n"
    "- NodeOutputName: x_0:0\n  Min: -1\n  Max: 1\n  Histogram: [ 1, 2 ]\n"
    "- NodeOutputName: layer_MatMul:0\n  Min: -2\n  Max: 2\n  Histogram: [ 1, 2 ]\n  Vendor: 7\n"
    "- NodeOutputName: Relu_relu_0:0\n  Min: 0\n  Max: 2\n  Histogram: [ 1, 2 ]\n"
    "- NodeOutputName: elsewhere:0\n  Min: 0\n  Max: 2\n  Histogram: [ 1, 2 ]\n...\n";

TEST(QaicProfileTest, AVendorsRecordsAreMatchedByName) {
  const Network net;
  const GlowProfile profile = ParseGlowProfile(kVendor, "p.yaml");
  const LoadedProfile loaded = MatchProfile(net.graph, profile, kOrigin, "-load-profile=p.yaml");
  EXPECT_THAT(loaded.order, ElementsAre(net.x, net.product, net.relu));
  EXPECT_EQ(loaded.values.at(net.product).max, 2);
  EXPECT_THAT(loaded.warnings,
              ElementsAre("-load-profile=p.yaml: the profile does not say which "
                          "-node-precision-info it was made with; the device's compiler takes it "
                          "with that one alone",
                          "-load-profile=p.yaml: 1 record of no tensor of the network: "
                          "'elsewhere:0'"));
  EXPECT_THAT(WriteGlowProfile(profile), HasSubstr("Vendor"))
      << "keys that Glow does not have survive";
}

TEST(QaicProfileTest, RangesGoIntoAVendorsRecordsAndTheRestStays) {
  const Network net;
  DumpedProfile dumped{.where = "-load-profile=p.yaml",
                       .profile = ParseGlowProfile(kVendor, "p.yaml"),
                       .loaded = {}};
  dumped.loaded = MatchProfile(net.graph, dumped.profile, kOrigin, dumped.where);
  const FilledProfile filled = Fill(net.graph, dumped, Values(net));
  EXPECT_THAT(filled.warnings,
              ElementsAre("-load-profile=p.yaml: the file has no record that means 1 tensor, whose "
                          "ranges are not written: 'w'"));
  EXPECT_EQ(filled.profile.records[1].max, 5) << "layer/MatMul";
  EXPECT_EQ(filled.profile.records[1].histogram, (std::vector<float>{2, 2, 0}));
  EXPECT_EQ(filled.profile.records[3].max, 2) << "of no tensor";
  const std::string text = WriteGlowProfile(filled.profile);
  EXPECT_THAT(text, HasSubstr("GraphPreLowerHash: 0xdeadbeef"));
  EXPECT_THAT(text, HasSubstr("GlowToolsVersion: 2020-01-01"));
  EXPECT_THAT(text, HasSubstr("Vendor:"));
}

TEST(QaicProfileTest, AnotherModelsProfileIsRefused) {
  const Network net;
  GlowProfile profile = ParseGlowProfile(kVendor, "p.yaml");
  for (GlowRecord& record : profile.records) {
    record.name = "other_" + record.name;
  }
  EXPECT_EQ(MessageOf(net, profile, kOrigin),
            "-load-profile=p.yaml: no record means a tensor of the network, the first ones: "
            "'other_x_0:0', 'other_layer_MatMul:0', 'other_Relu_relu_0:0', 'other_elsewhere:0'; it "
            "belongs to another model");
}

TEST(QaicProfileTest, RangesAndCountsAreThoseOfAllSamples) {
  const Network net;
  const auto sample = [](float a, float b) {
    return Sample{.name = "s", .inputs = {Tensor::From<float>({1, 2}, std::vector<float>{a, b})}};
  };
  const Dataset samples({sample(1, 0), sample(-1, 2)});
  std::vector<std::string> left_out;
  const ProfiledTensors made =
      ProfileTensors(net.graph, ReferencePlan(net.graph), samples, 4, 1, left_out);
  EXPECT_THAT(left_out, IsEmpty());
  // Products: [1, 2] and [-1 + 6, -2 - 8].
  const TensorStatistics& product = made.at(net.product);
  EXPECT_EQ(product.observed, (ValueRange{-10, 5}));
  EXPECT_THAT(product.histogram.counts, ElementsAre(1, 0, 1, 2)) << "bins of 3.75";
  EXPECT_EQ(made.at(net.relu).observed, (ValueRange{0, 5}));
  EXPECT_EQ(made.at(net.x).observed, (ValueRange{-1, 2}));
  EXPECT_EQ(made.at(net.w).observed, (ValueRange{-4, 3}));
  EXPECT_THAT(made.at(net.w).histogram.counts, ElementsAre(1, 0, 1, 2)) << "once, not by sample";
}

TEST(QaicProfileTest, TensorsWithInfinitiesHaveNoRange) {
  const Network net;
  const Dataset samples(std::vector<Sample>{
      {.name = "s", .inputs = {Tensor::From<float>({1, 2}, std::vector<float>{3e38F, 3e38F})}}});
  std::vector<std::string> left_out;
  const ProfiledTensors made =
      ProfileTensors(net.graph, ReferencePlan(net.graph), samples, 4, 1, left_out);
  EXPECT_THAT(left_out, ElementsAre("layer/MatMul:0", "relu:0"));
  EXPECT_EQ(made.size(), 2U);
}

}  // namespace
}  // namespace halftone
