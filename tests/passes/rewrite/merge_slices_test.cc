// Slices of a Slice: which become one, and that the results keep their bits.
#include "src/passes/rewrite/merge_slices.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/fusion_check.h"

namespace halftone {
namespace {

using testing::Net;
using testing::NodesOf;
using Ints = std::vector<std::int64_t>;

ValueId Slice(Net& net, const std::string& name, ValueId x, Ints starts, Ints ends, Ints axes,
              Ints steps) {
  std::vector<ValueId> inputs{x};
  for (const auto& [operand, values] : {std::pair("starts", starts), std::pair("ends", ends),
                                        std::pair("axes", axes), std::pair("steps", steps)}) {
    if (values.empty()) {
      break;  // the last ones may be left out
    }
    inputs.push_back(net.Constant(
        name + "." + operand,
        Tensor::From<std::int64_t>({static_cast<std::int64_t>(values.size())}, values)));
  }
  return net.Add(OpKind::kSlice, name, inputs);
}

struct Case {
  const char* name;
  std::vector<ValueId> (*make)(Net& net);
  const char* after;
};

const Case kCases[] = {
    {"EverySecondPixel",
     [](Net& net) {
       const ValueId x = net.Input("x", {1, 3, 8, 10});
       const ValueId rows = Slice(net, "rows", x, {1}, {1 << 30}, {2}, {2});
       return std::vector{Slice(net, "columns", rows, {0}, {1 << 30}, {3}, {2})};
     },
     "Slice[rows+columns]"},
    {"ThreeInARowFromTheEndAndBackwards",
     [](Net& net) {
       const ValueId x = net.Input("x", {4, 5, 8, 10});
       const ValueId a = Slice(net, "a", x, {-3}, {-1}, {-1}, {1});
       const ValueId b = Slice(net, "b", a, {3}, {-6}, {1}, {-2});
       return std::vector{Slice(net, "c", b, {1}, {3}, {}, {})};
     },
     "Slice[a+b+c]"},
    {"SeveralAxesAtOnce",
     [](Net& net) {
       const ValueId x = net.Input("x", {4, 5, 8, 10});
       const ValueId a = Slice(net, "a", x, {1, 0}, {4, 6}, {0, 2}, {1, 3});
       return std::vector{Slice(net, "b", a, {2, 1}, {9, 4}, {3, 1}, {2, 1})};
     },
     "Slice[a+b]"},
    {"NothingLeft",
     [](Net& net) {
       const ValueId x = net.Input("x", {4, 5});
       return std::vector{
           Slice(net, "b", Slice(net, "a", x, {2}, {2}, {0}, {1}), {1}, {3}, {1}, {1})};
     },
     "Slice[a+b]"},
    {"SameAxis",
     [](Net& net) {
       const ValueId x = net.Input("x", {4, 12});
       return std::vector{
           Slice(net, "b", Slice(net, "a", x, {1}, {11}, {1}, {2}), {1}, {3}, {1}, {1})};
     },
     "Slice[a] Slice[b]"},
    {"ReadTwice",
     [](Net& net) {
       const ValueId x = net.Input("x", {4, 12});
       const ValueId a = Slice(net, "a", x, {1}, {4}, {0}, {1});
       return std::vector{Slice(net, "b", a, {1}, {3}, {1}, {1}),
                          net.Add(OpKind::kNeg, "other", {a})};
     },
     "Slice[a] Slice[b] Neg[other]"},
    {"AnOutput",
     [](Net& net) {
       const ValueId x = net.Input("x", {4, 12});
       const ValueId a = Slice(net, "a", x, {1}, {4}, {0}, {1});
       return std::vector{Slice(net, "b", a, {1}, {3}, {1}, {1}), a};
     },
     "Slice[a] Slice[b]"},
};

class MergeSlicesTest : public ::testing::TestWithParam<Case> {};

TEST_P(MergeSlicesTest, KeepsTheBits) {
  Net net;
  const Graph before = net.Finish(GetParam().make(net));
  Graph after = before;
  MergeSlices(after);
  EXPECT_EQ(NodesOf(after), GetParam().after);
  std::set<std::string> names;
  for (const Value& value : after.values) {
    EXPECT_TRUE(names.insert(value.name).second) << value.name << " is there twice";
  }
  testing::ExpectSettled(before, after, MergeSlices);
  testing::ExpectAgreement(before, after, testing::RandomInputs(before, 9),
                           [](std::int64_t, double) { return 0.0; });
}

INSTANTIATE_TEST_SUITE_P(Graphs, MergeSlicesTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halftone
