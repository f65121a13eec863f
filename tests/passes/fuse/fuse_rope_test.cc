// Rotary position embedding: what becomes one RotaryEmbedding, what does not, and by how much
// results differ.
#include "src/passes/fuse/fuse_rope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/fusion_check.h"

namespace halftone {
namespace {

using testing::Net;
using testing::NodesOf;
using testing::With;

constexpr std::int64_t kPairs = 3;
constexpr std::int64_t kSize = 2 * kPairs;

// How the constants lie along the last axis: a number for each pair, or for each element.
enum class Form { kOnce, kHalves, kNeighbours };

class Angles : public Net {
 public:
  explicit Angles(DType dtype) : dtype_(dtype) {}

  ValueId X(Shape shape) { return Input("x", std::move(shape), dtype_); }

  // cos or sin of angles that differ in every row and pair; `shape` without the last axis. With
  // `minus` the first of each pair has the other sign.
  ValueId Table(const std::string& name, Shape shape, Form form, bool minus = false) {
    std::vector<std::int64_t> dims = shape.dims();
    const std::int64_t rows = shape.ElementCount();
    const std::int64_t count = form == Form::kOnce ? kPairs : kSize;
    dims.push_back(count);
    Tensor table(dtype_, Shape(dims));
    for (std::int64_t i = 0; i < rows * count; ++i) {
      const std::int64_t at = i % count;
      const std::int64_t pair = form == Form::kNeighbours ? at / 2 : at % kPairs;
      const bool first = form == Form::kNeighbours ? at % 2 == 0 : at < kPairs;
      const std::int64_t position = i / count;
      const double angle = 0.3 + 0.7 * static_cast<double>(position) + static_cast<double>(pair);
      const double value = name[0] == 'c' ? std::cos(angle) : std::sin(angle);
      StoreDouble(dtype_, table.mutable_data(), i, minus && first ? -value : value);
    }
    return Constant(name, std::move(table));
  }

  ValueId Of(OpKind op, const std::string& name, std::vector<ValueId> inputs) {
    return Add(op, name, std::move(inputs));
  }

  ValueId Joined(const std::string& name, ValueId a, ValueId b) {
    return Add(OpKind::kConcat, name, {a, b}, With("axis", std::int64_t{-1}));
  }

  // Elements [begin, end) of the last axis.
  ValueId Sliced(const std::string& name, ValueId x, std::int64_t begin, std::int64_t end,
                 std::int64_t step = 1) {
    return Add(OpKind::kSlice, name,
               {x, Integers(name + ".begin", {begin}), Integers(name + ".end", {end}),
                Integers(name + ".axis", {-1}), Integers(name + ".step", {step})});
  }

  ValueId Swapped(ValueId x, std::vector<std::int64_t> indices) {
    return Add(OpKind::kGather, "swap", {x, Integers("indices", indices)},
               With("axis", std::int64_t{-1}));
  }

  // x C + R S
  ValueId Sum(ValueId x, ValueId cos, ValueId turned, ValueId sin) {
    const ValueId plain = Of(OpKind::kMul, "plain", {x, cos});
    return Of(OpKind::kAdd, "sum", {plain, Of(OpKind::kMul, "turned", {sin, turned})});
  }

  ValueId RotatedHalf(ValueId x) {
    const ValueId first = Sliced("first", x, 0, kPairs);
    const ValueId second = Sliced("second", x, kPairs, std::int64_t{1} << 62);
    return Joined("join", Of(OpKind::kNeg, "neg", {second}), first);
  }

  struct Parts {
    ValueId difference;
    ValueId sum;
  };

  // a c - b s and a s + b c
  Parts Turned(ValueId a, ValueId b, ValueId cos, ValueId sin) {
    const ValueId ac = Of(OpKind::kMul, "ac", {a, cos});
    const ValueId bs = Of(OpKind::kMul, "bs", {b, sin});
    const ValueId difference = Of(OpKind::kSub, "difference", {ac, bs});
    const ValueId as = Of(OpKind::kMul, "as", {a, sin});
    const ValueId bc = Of(OpKind::kMul, "bc", {b, cos});
    return {difference, Of(OpKind::kAdd, "total", {as, bc})};
  }

  ValueId Column(const std::string& name, ValueId x) {
    return Of(OpKind::kUnsqueeze, name, {x, Integers(name + ".axes", {-1})});
  }

 private:
  DType dtype_;
};

struct Case {
  const char* name;
  ValueId (*make)(Angles& a);
  const char* after;
};

const Case kCases[] = {
    {"RotateHalf",
     [](Angles& a) {
       const ValueId x = a.X({2, 4, 5, kSize});
       const ValueId cos = a.Table("cos", {1, 1, 5}, Form::kHalves);
       return a.Sum(x, cos, a.RotatedHalf(x), a.Table("sin", {1, 1, 5}, Form::kHalves));
     },
     "RotaryEmbedding[join+first+second+neg+plain+turned+sum]"},
    {"AnglesOfTheImage",
     [](Angles& a) {
       const ValueId x = a.X({2, 4, 5, kSize});
       const ValueId cos = a.Table("cos", {2, 1, 5}, Form::kHalves);
       return a.Sum(x, cos, a.RotatedHalf(x), a.Table("sin", {5}, Form::kHalves));
     },
     "RotaryEmbedding[join+first+second+neg+plain+turned+sum]"},
    {"BeforeTheTransposeToHeads",
     [](Angles& a) {
       const ValueId x = a.X({2, 5, 4, kSize});
       const ValueId cos = a.Table("cos", {5, 1}, Form::kHalves);
       return a.Sum(x, cos, a.RotatedHalf(x), a.Table("sin", {5, 1}, Form::kHalves));
     },
     "Reshape[first+join+second+neg+plain+turned+sum] "
     "RotaryEmbedding[join+first+second+neg+plain+turned+sum] "
     "Reshape[sum+join+first+second+neg+plain+turned]"},
    {"AnglesOfEachHead",
     [](Angles& a) {
       const ValueId x = a.X({2, 4, 5, kSize});
       const ValueId cos = a.Table("cos", {1, 4, 5}, Form::kHalves);
       return a.Sum(x, cos, a.RotatedHalf(x), a.Table("sin", {1, 1, 5}, Form::kHalves));
     },
     "Reshape[first+join+second+neg+plain+turned+sum] "
     "RotaryEmbedding[join+first+second+neg+plain+turned+sum] "
     "Reshape[sum+join+first+second+neg+plain+turned]"},
    {"SplitHalves",
     [](Angles& a) {
       const ValueId x = a.X({3, 5, kSize});
       const ValueId first =
           a.Add(OpKind::kSplit, "split", {x, a.Integers("sizes", {kPairs, kPairs})},
                 With("axis", std::int64_t{2}), 2);
       const ValueId turned = a.Joined("join", a.Of(OpKind::kNeg, "neg", {first + 1}), first);
       return a.Sum(x, a.Table("cos", {5}, Form::kHalves), turned,
                    a.Table("sin", {5}, Form::kHalves));
     },
     "RotaryEmbedding[join+split+neg+plain+turned+sum]"},
    {"SwappedHalves",
     [](Angles& a) {
       const ValueId x = a.X({1, 4, 5, kSize});
       return a.Sum(x, a.Table("cos", {5}, Form::kHalves), a.Swapped(x, {3, 4, 5, 0, 1, 2}),
                    a.Table("sin", {5}, Form::kHalves, true));
     },
     "RotaryEmbedding[plain+swap+turned+sum]"},
    {"SwappedNeighbours",
     [](Angles& a) {
       const ValueId x = a.X({1, 4, 5, kSize});
       return a.Sum(x, a.Table("cos", {5}, Form::kNeighbours), a.Swapped(x, {1, 0, 3, -4, 5, 4}),
                    a.Table("sin", {5}, Form::kNeighbours, true));
     },
     "RotaryEmbedding[plain+swap+turned+sum]"},
    {"JoinedHalves",
     [](Angles& a) {
       const ValueId x = a.X({2, 4, 5, kSize});
       const ValueId first = a.Sliced("first", x, 0, kPairs);
       const ValueId second = a.Sliced("second", x, kPairs, kSize);
       const auto [difference, sum] = a.Turned(first, second, a.Table("cos", {5}, Form::kOnce),
                                               a.Table("sin", {5}, Form::kOnce));
       return a.Joined("join", difference, sum);
     },
     "RotaryEmbedding[difference+first+second+ac+bs+as+bc+total+join]"},
    {"StackedNeighbours",
     [](Angles& a) {
       const ValueId x = a.X({2, 4, 5, kSize});
       const ValueId even = a.Sliced("even", x, 0, kSize, 2);
       const ValueId odd = a.Sliced("odd", x, 1, kSize, 2);
       const auto [difference, sum] =
           a.Turned(even, odd, a.Table("cos", {5}, Form::kOnce), a.Table("sin", {5}, Form::kOnce));
       const ValueId column = a.Column("column.1", difference);
       return a.Joined("join", column, a.Column("column.2", sum));
     },
     "Reshape[even+difference+odd+ac+bs+as+bc+total+column.1+column.2+join] "
     "RotaryEmbedding[difference+even+odd+ac+bs+as+bc+total+column.1+column.2+join] "
     "Reshape[join+difference+even+odd+ac+bs+as+bc+total+column.1+column.2]"},
    {"PairsAreAnAxis",
     [](Angles& a) {
       const ValueId x = a.X({2, 5, 4, kPairs, 2});
       const ValueId first = a.Add(OpKind::kSplit, "split", {x, a.Integers("sizes", {1, 1})},
                                   With("axis", std::int64_t{-1}), 2);
       const auto squeezed = [&](const std::string& name, ValueId part) {
         return a.Of(OpKind::kSqueeze, name, {part, a.Integers(name + ".axes", {-1})});
       };
       const ValueId one = squeezed("one", first);
       const auto [difference, sum] =
           a.Turned(one, squeezed("two", first + 1), a.Table("cos", {5, 1}, Form::kOnce),
                    a.Table("sin", {5, 1}, Form::kOnce));
       const ValueId column = a.Column("column.1", difference);
       return a.Joined("join", column, a.Column("column.2", sum));
     },
     "Reshape[split+difference+one+two+ac+bs+as+bc+total+column.1+column.2+join] "
     "RotaryEmbedding[difference+split+one+two+ac+bs+as+bc+total+column.1+column.2+join] "
     "Reshape[join+difference+split+one+two+ac+bs+as+bc+total+column.1+column.2]"},
};

class FusedRope : public ::testing::TestWithParam<Case> {};

// The bound of fuse_rope.h with its largest terms: x, cos and sin are at most 1, so both products
// and what is rounded of them.
TEST_P(FusedRope, AgreesWithTheChain) {
  const Case& c = GetParam();
  for (const DType dtype : testing::kFloatDTypes) {
    Angles a(dtype);
    const Graph before = a.Finish({c.make(a)});
    Graph after = before;
    FuseRope(after);
    ASSERT_EQ(NodesOf(after), c.after) << NameOf(dtype);
    testing::ExpectSettled(before, after, FuseRope);
    Rng rng(9);
    const std::vector<Tensor> inputs = {
        testing::RandomTensor(before.value(before.inputs[0]).type, rng)};
    const double u = testing::UnitRoundoff(dtype);
    testing::ExpectAgreement(before, after, inputs, [&](std::int64_t /*i*/, double y) {
      const double products = u * (1 + u) * 2;
      return products + u * (2 * std::abs(y) + products) + 4 * testing::HalfSubnormalStep(dtype);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Chains, FusedRope, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

// ---- What stays as it is ------------------------------------------------------------------------

struct KeptCase {
  const char* name;
  std::vector<ValueId> (*make)(Angles& a);
};

const KeptCase kKept[] = {
    {"AnglesThatAreComputed",
     [](Angles& a) {
       const ValueId x = a.X({2, 4, 5, kSize});
       const ValueId cos = a.Input("cos", {5, kSize});
       return std::vector{a.Sum(x, cos, a.RotatedHalf(x), a.Table("sin", {5}, Form::kHalves))};
     }},
    {"HalvesOfAnglesThatDiffer",
     [](Angles& a) {
       const ValueId x = a.X({2, 4, 5, kSize});
       return std::vector{a.Sum(x, a.Table("cos", {5}, Form::kNeighbours), a.RotatedHalf(x),
                                a.Table("sin", {5}, Form::kHalves))};
     }},
    {"SignsThatDoNotTurn",
     [](Angles& a) {
       const ValueId x = a.X({1, 4, 5, kSize});
       return std::vector{a.Sum(x, a.Table("cos", {5}, Form::kHalves),
                                a.Swapped(x, {3, 4, 5, 0, 1, 2}),
                                a.Table("sin", {5}, Form::kHalves))};
     }},
    {"ElementsInAnotherOrder",
     [](Angles& a) {
       const ValueId x = a.X({1, 4, 5, kSize});
       return std::vector{a.Sum(x, a.Table("cos", {5}, Form::kHalves),
                                a.Swapped(x, {5, 4, 3, 2, 1, 0}),
                                a.Table("sin", {5}, Form::kHalves, true))};
     }},
    {"HalfIsReadElsewhere",
     [](Angles& a) {
       const ValueId x = a.X({2, 4, 5, kSize});
       const ValueId turned = a.RotatedHalf(x);
       const ValueId y =
           a.Sum(x, a.Table("cos", {5}, Form::kHalves), turned, a.Table("sin", {5}, Form::kHalves));
       return std::vector{y, turned};
     }},
    {"HalfOfAnother",
     [](Angles& a) {
       const ValueId x = a.X({2, 4, 5, kSize});
       const ValueId other = a.Input("other", {2, 4, 5, kSize});
       return std::vector{a.Sum(x, a.Table("cos", {5}, Form::kHalves), a.RotatedHalf(other),
                                a.Table("sin", {5}, Form::kHalves))};
     }},
    {"SumOfOtherAngles",
     [](Angles& a) {
       const ValueId x = a.X({2, 4, 5, kSize});
       const ValueId first = a.Sliced("first", x, 0, kPairs);
       const ValueId second = a.Sliced("second", x, kPairs, kSize);
       const ValueId cos = a.Table("cos", {5}, Form::kOnce);
       const ValueId sin = a.Table("sin", {5}, Form::kOnce);
       const auto difference = a.Turned(first, second, cos, sin).difference;
       const ValueId sum =
           a.Of(OpKind::kAdd, "other",
                {a.Of(OpKind::kMul, "m1", {first, cos}), a.Of(OpKind::kMul, "m2", {second, sin})});
       return std::vector{a.Joined("join", difference, sum)};
     }},
    {"FiveAxes",
     [](Angles& a) {
       const ValueId x = a.X({2, 2, 2, 5, kSize});
       return std::vector{a.Sum(x, a.Table("cos", {5}, Form::kHalves), a.RotatedHalf(x),
                                a.Table("sin", {5}, Form::kHalves))};
     }},
};

class KeptChains : public ::testing::TestWithParam<KeptCase> {};

TEST_P(KeptChains, AreNotFused) {
  Angles a(DType::kFloat32);
  Graph graph = a.Finish(GetParam().make(a));
  const Hash128 before = HashOf(graph);
  FuseRope(graph);
  EXPECT_EQ(HashOf(graph), before) << NodesOf(graph);
}

INSTANTIATE_TEST_SUITE_P(Chains, KeptChains, ::testing::ValuesIn(kKept),
                         [](const auto& row) { return std::string(row.param.name); });

// ---- What the node is ---------------------------------------------------------------------------

TEST(FuseRope, KeepsOneRowOfAnglesForAllHeads) {
  Angles a(DType::kFloat32);
  const ValueId x = a.X({2, 5, 4, kSize});
  const ValueId cos = a.Table("cos", {5, 1}, Form::kHalves);
  Graph graph = a.Finish({a.Sum(x, cos, a.RotatedHalf(x), a.Table("sin", {5, 1}, Form::kHalves))});
  FuseRope(graph);
  ASSERT_EQ(graph.nodes.size(), 3U);
  const Node& node = graph.nodes[1];
  EXPECT_EQ(node.attributes.Int("num_heads", 0), 4);
  EXPECT_EQ(node.attributes.Int("interleaved", 1), 0);
  EXPECT_EQ(graph.value(node.inputs[0]).type.shape, (Shape{2, 5, 4 * kSize}));
  EXPECT_EQ(graph.value(node.inputs[1]).type.shape, (Shape{2, 5, kPairs}));
}

}  // namespace
}  // namespace halftone
