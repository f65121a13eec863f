// Heads of keys and values that exporters of Llama repeat for groups of queries.
#include "src/passes/fuse/grouped_keys.h"

#include <gtest/gtest.h>

#include <cstring>

#include "src/passes/passes.h"
#include "tests/support/fusion_check.h"

namespace halftone {
namespace {

using testing::Net;
using testing::NodesOf;
using testing::With;

constexpr std::int64_t kBatch = 2;
constexpr std::int64_t kGroups = 2;  // heads of keys and values
constexpr std::int64_t kTimes = 3;   // of queries for each
constexpr std::int64_t kQueries = 5;
constexpr std::int64_t kLength = 13;
constexpr std::int64_t kSize = 8;

struct Heads : Net {
  ValueId Turn(const std::string& name, ValueId x, std::vector<std::int64_t> perm) {
    return Add(OpKind::kTranspose, name, {x}, With("perm", std::move(perm)));
  }

  // Of rows [batch, length, heads, size] when `rows`.
  ValueId Operand(const std::string& name, std::int64_t heads, std::int64_t length, bool rows) {
    return rows ? Turn(name + ".turn", Input(name, {kBatch, length, heads, kSize}), {0, 2, 1, 3})
                : Input(name, {kBatch, heads, length, kSize});
  }

  ValueId Repeated(const std::string& name, ValueId x) {
    const ValueId once =
        Add(OpKind::kUnsqueeze, name + ".once", {x, Integers(name + ".axis", {2})});
    const ValueId all =
        Add(OpKind::kExpand, name + ".all",
            {once, Integers(name + ".dims", {kBatch, kGroups, kTimes, kLength, kSize})});
    return Add(OpKind::kReshape, name + ".heads",
               {all, Integers(name + ".shape", {kBatch, kGroups * kTimes, kLength, kSize})});
  }

  ValueId Attend(ValueId q, ValueId k, ValueId v) {
    const ValueId scores = Add(OpKind::kMatMul, "scores", {q, Turn("turn", k, {0, 1, 3, 2})});
    const ValueId p = Add(OpKind::kSoftmax, "softmax", {scores}, With("axis", std::int64_t{-1}));
    return Add(OpKind::kMatMul, "values", {p, v});
  }

  ValueId Grouped(bool rows) {
    const ValueId q = Operand("q", kGroups * kTimes, kQueries, rows);
    const ValueId k = Repeated("k", Operand("k", kGroups, kLength, rows));
    const ValueId v = Repeated("v", Operand("v", kGroups, kLength, rows));
    const ValueId y = Attend(q, k, v);
    return rows ? Turn("y.turn", y, {0, 2, 1, 3}) : y;
  }
};

// The bits are those of an Attention that reads the repeated heads.
void ExpectSameBits(const Graph& before, bool rows) {
  Graph repeated = before;
  // What makes the heads has another reader, so that it stays.
  for (const Node& node : before.nodes) {
    if (node.op == OpKind::kReshape) {
      repeated.outputs.push_back(node.outputs[0]);
    }
  }
  Graph shared = before;
  Optimize(repeated);
  Optimize(shared);
  EXPECT_LT(shared.nodes.size(), repeated.nodes.size()) << "rows: " << rows;
  const std::vector<Tensor> inputs = testing::RandomInputs(before, 3);
  const Tensor expected = testing::Evaluate(repeated, inputs).outputs.at(0);
  const Tensor found = testing::Evaluate(shared, inputs).outputs.at(0);
  ASSERT_EQ(expected.type(), found.type());
  EXPECT_EQ(
      std::memcmp(expected.data(), found.data(), static_cast<std::size_t>(expected.size_bytes())),
      0);
}

TEST(GroupedKeys, AreReadAsTheyAre) {
  Heads h;
  const Graph before = h.Finish({h.Grouped(false)});
  Graph after = before;
  Optimize(after);
  EXPECT_EQ(NodesOf(after),
            "Attention[softmax+scores+turn+values+k.once+k.all+k.heads+v.once+v.all+v.heads]");
  testing::ExpectSettled(before, after, [](Graph& graph) { Optimize(graph); });
  ExpectSameBits(before, false);
}

TEST(GroupedKeys, AreReadFromRows) {
  Heads h;
  const Graph before = h.Finish({h.Grouped(true)});
  Graph after = before;
  Optimize(after);
  EXPECT_EQ(NodesOf(after),
            "Reshape[q.turn] Reshape[k.turn] Reshape[v.turn] "
            "Attention[softmax+scores+turn+values+k.once+k.all+k.heads+v.once+v.all+v.heads] "
            "Reshape[y.turn]");
  EXPECT_EQ(after.nodes[3].attributes.Int("q_num_heads", 0), kGroups * kTimes);
  EXPECT_EQ(after.nodes[3].attributes.Int("kv_num_heads", 0), kGroups);
  ExpectSameBits(before, true);
}

TEST(GroupedKeys, StayRepeatedWhereOthersReadThem) {
  Heads h;
  const ValueId q = h.Operand("q", kGroups * kTimes, kQueries, false);
  const ValueId k = h.Repeated("k", h.Operand("k", kGroups, kLength, false));
  const ValueId v = h.Repeated("v", h.Operand("v", kGroups, kLength, false));
  Graph graph = h.Finish({h.Attend(q, k, v), v});
  Optimize(graph);
  EXPECT_EQ(NodesOf(graph),
            "Unsqueeze[k.once] Expand[k.all] Reshape[k.heads] Unsqueeze[v.once] Expand[v.all] "
            "Reshape[v.heads] Attention[softmax+scores+turn+values]");
}

TEST(GroupedKeys, AreSwitchedOffWithTheAttention) {
  Heads h;
  Graph graph = h.Finish({h.Grouped(false)});
  const std::string before = NodesOf(graph);
  Optimize(graph, {"fuse_attention", "fuse_transpose"});
  EXPECT_EQ(NodesOf(graph), before);
}

}  // namespace
}  // namespace halftone
