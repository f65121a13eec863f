// Rows of src/target/destinations.cc, and the targets that they make.
#include "src/exec/destination_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "src/exec/host_target.h"
#include "src/exec/integer_steps.h"
#include "src/ir/op_table.h"
#include "src/passes/passes.h"

namespace halftone {
namespace {

TEST(DestinationTargetTest, RowsAgreeWithTheProduct) {
  std::set<std::string_view> names;
  for (const Destination& destination : Destinations()) {
    SCOPED_TRACE(destination.name);
    EXPECT_TRUE(names.insert(destination.name).second);
    EXPECT_EQ(FindDestination(destination.name), &destination);
    for (const double figure : {destination.float32, destination.float16, destination.bfloat16,
                                destination.bandwidth, destination.conversion}) {
      EXPECT_GT(figure, 0);
    }
    EXPECT_GT(destination.int8, destination.float32) << "nothing would be in 8 bits";
    EXPECT_FALSE(destination.source.empty());
    for (const OpKind op : destination.wide) {
      EXPECT_TRUE(IsScaledOn(destination, op)) << InfoOf(op).name;
    }
    for (const OpKind op : destination.scaled) {  // has a form, or only moves elements
      EXPECT_TRUE(HasIntegerForm(op) || InfoOf(op).Is(kMovesData)) << InfoOf(op).name;
    }
    for (const OpKind op : {OpKind::kConv, OpKind::kGemm, OpKind::kMatMul, OpKind::kRelu}) {
      EXPECT_TRUE(IsScaledOn(destination, op)) << InfoOf(op).name;
    }
    EXPECT_FALSE(IsScaledOn(destination, OpKind::kSoftmax));
    EXPECT_TRUE(IsScaledOn(destination, OpKind::kReshape)) << "a view";
    const auto passes = AllPasses();
    for (const std::string_view fusion : destination.fusions_off) {
      EXPECT_TRUE(std::ranges::any_of(passes, [&](const auto& pass) {
        return pass.name == fusion;
      })) << fusion;
    }
  }
  EXPECT_EQ(FindDestination("host"), nullptr);
}

TEST(DestinationTargetTest, OperatorsAreThoseOfTheHostAndNothingIsTimed) {
  const TargetSpec host = HostTarget();
  EXPECT_TRUE(host.is_host());
  for (const Destination& destination : Destinations()) {
    const TargetSpec target = DestinationTarget(destination);
    EXPECT_EQ(target.name, destination.name);
    EXPECT_FALSE(target.is_host());
    EXPECT_TRUE(target.has_host_kernels());
    EXPECT_EQ(target.ai_core.size(), host.ai_core.size());
    EXPECT_THAT(target.formats,
                ::testing::ElementsAre(NumericFormat(), *NumericFormat::Named("qint8")));
  }
}

}  // namespace
}  // namespace halftone
